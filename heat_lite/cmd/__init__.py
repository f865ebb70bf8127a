"""The programs. Before any of them imports anything else, what they never use is kept out of them."""

from heat_lite.cmd import late

late.set_up()
