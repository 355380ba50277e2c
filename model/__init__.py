"""What is checked: pure definitions, standard library only. Import what a program or protocol of your own needs."""

from model.action import Action, Local, Message, Step, control
from model.assumptions import Assumptions, parse_relaxations
from model.catalogue import build_system
from model.claims import (
    always,
    conserved,
    eventually,
    leads_to,
    never,
    on_action,
    on_cut,
    on_snapshot,
    sometimes,
    stable,
)
from model.errors import InputError
from model.families import parse_family
from model.own_monitors import Monitor
from model.program import Program, Underlying
from model.programs.rules import RuleProgram
from model.property import Property
from model.protocol import Protocol, Recorded
from model.recording import Recording
from model.system import State, System
from model.topology import Topology
from model.trace import Counterexample, Trace
from model.verdict import Outcome, Verdict

__all__ = [
    "Monitor",
    "always",
    "conserved",
    "eventually",
    "leads_to",
    "never",
    "on_action",
    "on_cut",
    "on_snapshot",
    "sometimes",
    "stable",
    "Action",
    "Assumptions",
    "Counterexample",
    "InputError",
    "Local",
    "Message",
    "Outcome",
    "Program",
    "Property",
    "Protocol",
    "Recorded",
    "Recording",
    "RuleProgram",
    "State",
    "Step",
    "System",
    "Topology",
    "Trace",
    "Underlying",
    "Verdict",
    "build_system",
    "control",
    "parse_family",
    "parse_relaxations",
]
