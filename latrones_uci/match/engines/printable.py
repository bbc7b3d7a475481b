"""What engines say, made fit for terminals and files of lines."""


def printable(text: str) -> str:
    """The text on one line, with an escape as Python writes it in place of each character that cannot be printed."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)
