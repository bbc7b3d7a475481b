package main.collections;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

public class FastArrayList<E> implements Iterable<E> {
    private final List<E> elements;

    public FastArrayList() {
        elements = new ArrayList<>();
    }

    public FastArrayList(FastArrayList<E> other) {
        elements = new ArrayList<>(other.elements);
    }

    public void add(E element) { elements.add(element); }

    public boolean contains(Object element) { return elements.contains(element); }

    public boolean isEmpty() { return elements.isEmpty(); }

    public E get(int index) { return elements.get(index); }

    public int size() { return elements.size(); }

    @Override
    public Iterator<E> iterator() { return elements.iterator(); }
}
