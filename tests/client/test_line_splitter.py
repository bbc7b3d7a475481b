from latrones_uci.client.process import LineSplitter


def test_lines_in_pieces() -> None:
    splitter = LineSplitter()
    assert splitter.feed(b"info dep") == []
    assert splitter.feed(b"th 1\nbest") == ["info depth 1"]
    assert splitter.feed(b"move a1a2\n\nuci") == ["bestmove a1a2", ""]


def test_only_line_feeds_are_removed() -> None:
    assert LineSplitter().feed(b"uciok\r\n readyok \t \n") == ["uciok\r", " readyok \t "]


def test_the_line_that_has_not_ended() -> None:
    splitter = LineSplitter()
    assert splitter.partial == ""
    splitter.feed(b"uciok\nabort")
    assert splitter.partial == "abort"


def test_a_long_line_is_cut_and_the_next_is_whole() -> None:
    splitter = LineSplitter(limit_bytes=8)
    assert splitter.feed(b"0123") == []
    assert splitter.feed(b"456789") == []
    assert splitter.feed(b"ABC\nuciok\n" + b"x" * 100) == ["01234567", "uciok"]
    assert splitter.feed(b"y" * 100) == []
    assert splitter.partial == "x" * 8
    assert splitter.feed(b"z\nreadyok\n") == ["x" * 8, "readyok"]


def test_bytes_that_are_not_utf8_are_replaced() -> None:
    assert LineSplitter().feed(b"id name \xff\x00\n") == ["id name \ufffd\x00"]
