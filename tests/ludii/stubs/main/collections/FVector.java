package main.collections;

import java.util.Arrays;

public final class FVector {
    private final float[] floats;

    public FVector(int size) { this(new float[size]); }

    private FVector(float[] floats) {
        this.floats = floats;
    }

    public FVector append(float value) {
        float[] longer = Arrays.copyOf(floats, floats.length + 1);
        longer[floats.length] = value;
        return new FVector(longer);
    }

    public float get(int index) { return floats[index]; }
}
