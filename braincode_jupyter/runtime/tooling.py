"""Which tools an agent of a run gets; made for it alone, behind the run's one gate.

Support workers, specialists and the reviewer look and, on copies, compute; only the primary may be
given edits and commands. What a worker can look at in the kernel is what the request referenced.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

from braincode_jupyter.brain.checks import CheckSetup
from braincode_jupyter.brain.effects import CollectChanges
from braincode_jupyter.brain.key_shapes import mask_keys
from braincode_jupyter.brain.roles import NOTEBOOK_ROLES
from braincode_jupyter.protocol.outside_records import HookReport
from braincode_jupyter.references import describe
from braincode_jupyter.references.cells import render_cell
from braincode_jupyter.runtime.approvals import Approvals
from braincode_jupyter.runtime.checking import run_checks
from braincode_jupyter.runtime.dispatch_tool import DispatchTool
from braincode_jupyter.runtime.keeping import edit_keeper
from braincode_jupyter.runtime.ledger import ChangeLedger
from braincode_jupyter.runtime.recalling import denied_before, done_before, unfinished_before
from braincode_jupyter.runtime.toolbox import Gate, GatedToolBox
from braincode_jupyter.tools.checks import CheckTools
from braincode_jupyter.tools.data import DataTools
from braincode_jupyter.tools.granted import granted_by
from braincode_jupyter.tools.mcp_toolset import toolset_for
from braincode_jupyter.tools.run_python import PythonTools
from braincode_jupyter.tools.scratch_pool import ScratchPool
from braincode_jupyter.tools.sets import project_toolset
from braincode_jupyter.tools.sql import SqlTools

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from pathlib import Path

    from braincode_jupyter.brain.effects import RunChecks
    from braincode_jupyter.brain.permission import Policy
    from braincode_jupyter.hooks import HookDispatcher, HookPoint
    from braincode_jupyter.protocol.outside import McpServers
    from braincode_jupyter.protocol.outside_records import McpReport
    from braincode_jupyter.protocol.records import ChangesCollected, ChecksRan
    from braincode_jupyter.protocol.sections import ModelCall
    from braincode_jupyter.protocol.tools import Approver, RevokedBy, Toolset
    from braincode_jupyter.runtime.host import RunHost
    from braincode_jupyter.runtime.settings import Sources
    from braincode_jupyter.tools.granted import Granted
    from braincode_jupyter.tools.mcp import McpHub

_SQL_NEEDS = ("duckdb", "pyarrow")
_PYTHON_NEEDS = ("jupyter_client", "ipykernel", "psutil", "pyarrow")
EVIDENCE_ROLES = frozenset({"librarian", "qa", "security", "review"})
"""Support roles that may look into the project (spec/tools.md 1.3)."""


@dataclass(slots=True, kw_only=True)
class RunTools:
    """Makes the tools of each agent of one run.

    Parameters
    ----------
    project_root : Path
        Where file tools look.
    sources : Sources
        Where data tools look.
    policy : Policy
        What is allowed.
    approver : Approver or None
        Who is asked; None: nobody, so what has to be asked is denied.
    redact : callable
        Takes configured keys out of what tools give.
    forces_roles : bool
        Roles were named by the user: the primary calls no specialist.
    servers : McpServers or None
        MCP servers that are configured.
    hub : McpHub or None
        What starts them.
    hooks : HookDispatcher or None
        Hooks that are configured.
    hook_events : frozenset of str
        Their events.
    disabled : frozenset of str
        Tools that the user switched off.
    open_notebook : Path or None
        The notebook of this session, which no tool writes; None: not known.
    checks : CheckSetup
        How changes of the project are checked.
    """

    project_root: Path
    sources: Sources
    policy: Policy
    approver: Approver | None
    redact: Callable[[str], str] = str
    forces_roles: bool = False
    servers: McpServers | None = None
    hub: McpHub | None = None
    hooks: HookDispatcher | None = None
    hook_events: frozenset[str] = frozenset()
    disabled: frozenset[str] = frozenset()
    open_notebook: Path | None = None
    checks: CheckSetup = field(default_factory=CheckSetup)
    _gate: Gate | None = field(default=None, init=False)
    _pool: ScratchPool | None = field(default=None, init=False)
    _changes: ChangeLedger | None = field(default=None, init=False)

    def box_for(self, call: ModelCall, host: RunHost) -> GatedToolBox | None:
        """Return the tools of one call; None for the router and for models without tools."""
        if call.call_kind == "router" or not call.candidate.tools:
            return None
        is_primary = call.call_kind == "primary"
        toolsets = list(self._toolsets(call, host, is_primary=is_primary))
        return GatedToolBox(
            call=call,
            toolsets=toolsets,
            gate=self._gate_of(host),
            policy=replace(
                self.policy,
                is_onlooker=not is_primary,
                has_read_untrusted=bool(host.request.references),
            ),
            reserve_turn=lambda spent, sent: host.turn_tokens(call, spent, sent),
            done_before=list(done_before(host.records, call.context_id)) if is_primary else [],
        )

    def revoke(self, grant_id: str, by: RevokedBy) -> None:
        """Take a "same again in this run" back; on the loop of the run."""
        if self._gate is not None:
            self._gate.approvals.revoke(grant_id, by)

    async def look(
        self, order: CollectChanges | RunChecks, host: RunHost, *, call: ModelCall
    ) -> ChangesCollected | ChecksRan:
        """Look at what the primary changed, or run the checks of it.

        Parameters
        ----------
        order : CollectChanges or RunChecks
            Which of the two.
        host : RunHost
            The run.
        call : ModelCall
            The primary's newest call, which the checks belong to.

        Returns
        -------
        ChangesCollected or ChecksRan
            The outcome, whatever happens.
        """
        if isinstance(order, CollectChanges):
            gate = self._gate_of(host)
            return await self._ledger().collect(
                host.records,
                order,
                timestamp=host.clock.now_ms(),
                review_rules=gate.review_rules,
            )
        checks = CheckTools(
            self.project_root, order.selection, config=order.config, hide=self._hide
        )
        box = GatedToolBox(
            call=call,
            toolsets=[checks],
            gate=self._gate_of(host),
            # Edits alone were allowed: a check then needs a word of its own (security R37).
            policy=replace(self.policy, mode="ask") if self.policy.mode == "edits" else self.policy,
            reserve_turn=lambda spent, sent: host.turn_tokens(call, spent, sent),
        )
        return await run_checks(order, host, box=box, tools=checks)

    def _gate_of(self, host: RunHost) -> Gate:
        if self._gate is None:
            approvals = Approvals(
                approver=self.approver,
                write=host.note,
                clock=host.clock,
                redact=self.redact,
                denied=set(denied_before(host.records)),
            )
            self._gate = Gate(
                approvals=approvals,
                write=host.note,
                clock=host.clock,
                redact=self.redact,
                before_change=self._ledger().begin,
                unfinished=unfinished_before(host.records),
            )
        return self._gate

    def _ledger(self) -> ChangeLedger:
        if self._changes is None:
            self._changes = ChangeLedger(
                root=self.project_root, rules=self.policy.rules, redact=self.redact
            )
        return self._changes

    def _hide(self, text: str) -> str:
        return mask_keys(self.redact(text))[0]

    @property
    def is_slow_to_open(self) -> bool:
        """Whether hooks or servers are waited for before the first model call."""
        return bool(self.hook_events) or self.servers is not None

    @property
    def server_names(self) -> tuple[str, ...]:
        """MCP servers that may be started, as ``scope:name``."""
        found = () if self.servers is None else self.servers.servers
        return tuple(f"{one.scope}:{one.name}" for one in found)

    async def connect(
        self,
        group: asyncio.TaskGroup,
        *,
        on_report: Callable[[McpReport], None],
        on_notice: Callable[[str], None],
    ) -> McpReport | None:
        """Make the MCP servers ready; None if none is configured."""
        if self.hub is None or self.servers is None:
            return None
        report = await self.hub.connect(
            self.servers, group=group, on_report=on_report, on_notice=on_notice
        )
        return None if report.is_empty else report

    async def fire(self, point: HookPoint) -> HookReport:
        """Run the hooks of one event."""
        if self.hooks is None:
            return HookReport(event_name=point.event)
        return await self.hooks.fire(point)

    async def disconnect(self) -> None:
        """End the MCP servers; a second call does nothing."""
        if self.hub is not None:
            await self.hub.aclose()

    async def aclose(self) -> None:
        """Stop what is still running: a kernel that was kept warm, MCP servers."""
        if self._pool is not None:
            await self._pool.aclose()
        await self.disconnect()

    def _toolsets(self, call: ModelCall, host: RunHost, *, is_primary: bool) -> list[Toolset]:
        found: list[Toolset] = []
        if is_primary or call.role in EVIDENCE_ROLES:
            found.append(
                project_toolset(
                    self.project_root,
                    mode=self.policy.mode if is_primary else "read-only",
                    keep=edit_keeper(host, call.context_id) if is_primary else None,
                    open_notebook=self.open_notebook,
                    disabled=self.disabled,
                )
            )
        granted = granted_by(host.request.references)
        if call.role in NOTEBOOK_ROLES and (granted.variables or granted.cells or granted.outputs):
            found.extend(self._data_tools(call, granted))
        if self.hub is not None:
            found.append(toolset_for(self.hub, call.role, is_primary=is_primary))
        if is_primary and call.role != "review" and not self.forces_roles:
            found.append(DispatchTool(host))
        return found

    def _data_tools(self, call: ModelCall, granted: Granted) -> list[Toolset]:
        variables, cells = self.sources.variables, self.sources.cells
        found: list[Toolset] = [
            DataTools(variables, cells, granted=granted, describe=describe, render_cell=render_cell)
        ]
        if granted.variables and _are_installed(_SQL_NEEDS):
            found.append(SqlTools(variables, granted=granted, owner=call.context_id))
        if granted.variables and _are_installed(_PYTHON_NEEDS):
            if self._pool is None:
                self._pool = ScratchPool()
            self._pool.prepare()
            found.append(PythonTools(self._pool, variables, granted=granted, owner=call.context_id))
        return found


def _are_installed(names: tuple[str, ...]) -> bool:
    """Say whether packages of the extra ``data`` are there; a tool that cannot work is no offer."""
    return all(find_spec(name) is not None for name in names)
