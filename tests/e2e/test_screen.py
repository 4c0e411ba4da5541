"""The screen on a terminal: it opens on what the command line names, and leaves the terminal as it was."""
from conftest import ROOT, Screen

RECORDING = ROOT / "tests" / "data" / "sample-session.jsonl"


def test_a_case_opens_and_q_leaves_it(world, screens):
    screen = screens(world, "--case", "analytics", "--instant")
    screen.wait_for(b"analytics")
    screen.type(b"qq")  # the list of questions, then the session
    assert screen.status() == 0
    assert Screen.LEAVES in screen.out
    assert len(world.sessions()) == 1


def test_a_recording_opens_and_nothing_is_logged(world, screens):
    for words in (["replay", RECORDING], [RECORDING]):
        screen = screens(world, *words)
        screen.wait_for(b" quit")
        screen.type(b"q")
        assert screen.status() == 0
        assert Screen.LEAVES in screen.out
    assert world.sessions() == []


def test_an_unknown_terminal_is_drawn_as_xterm_and_says_so(world, screens):
    screen = screens(world, RECORDING, term="no-such-terminal")
    screen.wait_for(b"TERM is not known here")
    screen.type(b"q")
    assert screen.status() == 0


def test_replay_plain_on_a_terminal_is_lines(world, screens):
    screen = screens(world, "replay", "--plain", RECORDING)
    assert screen.status() == 0
    assert b"verdict: right" in screen.out
    assert b"\x1b" not in screen.out  # the recording holds escape sequences


def test_a_signal_restores_the_terminal(world, screens):
    screen = screens(world, "--case", "analytics", "--instant")
    screen.wait_for(b"analytics")
    screen.process.terminate()
    assert screen.status() != 0
    assert Screen.LEAVES in screen.out
