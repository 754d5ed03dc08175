"""Laws of the force between two surfaces that touch, one per file."""

from treadle.contact.laws.emden_fowler import emden_fowler
from treadle.contact.laws.flores import flores
from treadle.contact.laws.hertz import hertz
from treadle.contact.laws.hunt_crossley import hunt_crossley
from treadle.contact.laws.kelvin_voigt import kelvin_voigt
from treadle.contact.laws.lankarani_nikravesh import lankarani_nikravesh
from treadle.contact.laws.law import LAWS, ContactLaw, Touch, contact_law, law_program

__all__ = ["LAWS", "ContactLaw", "Touch", "contact_law", "law_program"]

for _law in (kelvin_voigt, hertz, hunt_crossley, lankarani_nikravesh, flores, emden_fowler):
    LAWS[_law.__name__] = _law
