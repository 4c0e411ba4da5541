"""Pictures by matplotlib: its list of fonts is given to the cell, since making one tries to start other programs."""

PLOT = """
import matplotlib.pyplot as plt
plt.plot([1, 2, 3])
plt.title("Ventas del año")
plt.savefig("out/x.png")
"""


def test_an_ordinary_picture_is_drawn_without_a_refusal(each_user):
    result = each_user.run(PLOT, "-c", "stdout")
    assert result.status == 0, result.err
    assert result.denials() == []
    (picture,) = result.kind("artifact")
    assert picture["name"] == "x.png" and picture["size"] > 5000


def test_the_list_of_fonts_is_the_programs_own_to_change(each_user):
    text = "import matplotlib, os\nprint(*os.listdir(matplotlib.get_cachedir()))\n" \
           "[name] = os.listdir(matplotlib.get_cachedir())\nopen(f'{matplotlib.get_cachedir()}/{name}', 'w').write('{}')"
    for _ in range(2):  # the second run has it anew
        result = each_user.run(text + "\nfrom matplotlib import font_manager", "-c", "stdout", "--inspect=off")
        assert "fontlist-" in result.kind("output")[0]["bytes"]
    # the control: with a list that cannot be read, matplotlib makes its own, and is refused
    assert [denial["call"] for denial in result.denials()] == ["execve", "execve"]
