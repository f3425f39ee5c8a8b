"""Stage 4b - automaton: every substring of the test stretches, in linear space.

A suffix automaton over several sequences. Nearly all windows of four tokens are rare, so nearly
every state has one way out, to the state numbered one higher: that one stands in a list, the
few others in dictionaries, and a sequence of windows never seen before is added by list slices.

Reads: nothing of the package. Read by: `runs.py`.
"""

from collections.abc import Hashable, Sequence
from operator import ne

ROOT = 0


class Automaton:
    """States are numbers; state s stands for some ends of substrings.

    Attributes:
        length: Symbols in the longest substring of each state.
        link: The state of its longest suffix that ends in more places, ROOT at last.
        following: The symbol that leads from state s to s + 1, or None.
    """

    def __init__(self, size: int) -> None:
        """Take the number of symbols that will be added in all."""
        self.length = [0] * (size + 1)
        self.link = [ROOT] * (size + 1)
        self.following: list[Hashable | None] = [None] * (size + 1)
        self._first: dict[Hashable, int] = {}  # the ways out of the root
        self._more: dict[int, dict[Hashable, int]] = {}
        self._used = 0

    def extend(self, symbols: Sequence[Hashable], last: int = ROOT) -> list[int]:
        """Add symbols after the state `last`, ROOT to begin a new sequence.

        Args:
            symbols: At least one.
            last: The state that the previous symbol of the sequence led to.

        Returns:
            The state after each symbol. Time linear over all calls.
        """
        state = self._used + 1
        self._used += len(symbols)
        states: list[int] = []
        if last == ROOT:
            states = self._begin(symbols, state)
            last = states[-1] if states else ROOT
            state += len(states)
        while len(states) < len(symbols):
            again = 0
            if self.link[last] == last - 1:  # rare, and asked of every symbol
                again = self._again(symbols, len(states), last, state)
            if again:
                states += range(state, state + again)
                state += again
                last = state - 1
                continue
            last = self._append(symbols[len(states)], last, state)
            states.append(last)
            state += 1
        return states

    def step(self, state: int, size: int, symbol: Hashable) -> tuple[int, int]:
        """Follow a symbol, giving up as much of the front of the match as that takes.

        Args:
            state: Where the match of the text so far stands.
            size: Symbols in that match.
            symbol: The next symbol of the text.

        Returns:
            State and size of the longest match that ends with the symbol; (ROOT, 0) if none.
        """
        while state != ROOT:
            target = self._edge(state, symbol)
            if target:
                return target, size + 1
            state = self.link[state]
            size = self.length[state]
        target = self._first.get(symbol, ROOT)
        return target, 1 if target else 0

    def straight(self, state: int, symbols: Sequence[Hashable]) -> int:
        """Return the first of the consecutive states that the symbols lead along, or ROOT."""
        size = len(symbols)
        if state == ROOT:
            state = self._first.get(symbols[0], ROOT)
            if state and self.following[state : state + size - 1] == symbols[1:]:
                return state
        elif self.following[state : state + size] == symbols:
            return state + 1
        return ROOT

    def _begin(self, symbols: Sequence[Hashable], state: int) -> list[int]:
        """Add the symbols of a new sequence up to the first that is known, all at once."""
        states = list(range(state, state + len(symbols)))
        found = list(map(self._first.setdefault, symbols, states))
        if found != states:
            known = list(map(ne, found, states)).index(True)
            for symbol, own in zip(symbols[known:], states[known:], strict=True):
                if self._first.get(symbol) == own:
                    del self._first[symbol]
            del states[known:]
        size = len(states)
        if size:
            self.length[state : state + size] = range(1, size + 1)
            self.following[state : state + size - 1] = symbols[1:size]
        return states

    def _again(self, symbols: Sequence[Hashable], at: int, last: int, state: int) -> int:
        """Add one symbol over and over to a sequence of nothing else; return how often.

        To be asked where the state before `last` is its suffix too, as it is just where all
        symbols so far are equal. Then
        each new state's suffix is the one before it, and no other state changes.
        """
        before = last - 1
        grown = self.length[last] == self.length[before] + 1
        if before == ROOT or last != state - 1 or not grown:
            return 0
        symbol = self.following[before]
        stop = at
        while stop < len(symbols) and symbols[stop] == symbol:
            stop += 1
        count = stop - at
        if count:
            size = self.length[last]
            self.length[state : state + count] = range(size + 1, size + count + 1)
            self.link[state : state + count] = range(last, last + count)
            self.following[last : last + count] = [symbol] * count
        return count

    def _edge(self, state: int, symbol: Hashable) -> int:
        """Return where a symbol leads from a state, ROOT for nowhere."""
        if state == ROOT:
            return self._first.get(symbol, ROOT)
        if self.following[state] == symbol:
            return state + 1
        more = self._more.get(state)
        return more.get(symbol, ROOT) if more else ROOT

    def _append(self, symbol: Hashable, last: int, state: int) -> int:
        """Add one symbol; `state` is the number kept for it, used if a new one is needed."""
        if symbol not in self._first:
            self._join(symbol, last, state)
            self._first[symbol] = state
            return state
        target = self._edge(last, symbol)
        if target:
            if self.length[target] == self.length[last] + 1:
                return target
            return self._split(symbol, last, target)
        before = self._join(symbol, last, state)
        target = self._edge(before, symbol)
        if self.length[target] != self.length[before] + 1:
            target = self._split(symbol, before, target)
        self.link[state] = target
        return state

    def _join(self, symbol: Hashable, last: int, state: int) -> int:
        """Lead the symbol from `last` and suffixes to `state`; return who has it already."""
        self.length[state] = self.length[last] + 1
        if last and last == state - 1:
            self.following[last] = symbol
            last = self.link[last]
        while last != ROOT and not self._edge(last, symbol):
            self._more.setdefault(last, {})[symbol] = state
            last = self.link[last]
        return last

    def _split(self, symbol: Hashable, before: int, target: int) -> int:
        """Give the shorter substrings of `target`, those `before` leads to, their own state."""
        copy = len(self.length)
        self.length.append(self.length[before] + 1)
        self.link.append(self.link[target])
        self.following.append(None)
        ways = dict(self._more.get(target, {}))
        if self.following[target] is not None:
            ways[self.following[target]] = target + 1
        self._more[copy] = ways
        self.link[target] = copy
        while before != ROOT and self._edge(before, symbol) == target:
            self._more[before][symbol] = copy
            before = self.link[before]
        if before == ROOT and self._first[symbol] == target:
            self._first[symbol] = copy
        return copy
