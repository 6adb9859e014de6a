import { useContext } from "preact/hooks";
import { Around } from "../markup/written.tsx";
import { type Selection, SelectionContext } from "./selection.ts";

type TickProps = { kind: keyof Selection; id: number; title: string };

export function Tick({ kind, id, title }: TickProps) {
  const { chosen, turn } = useContext(SelectionContext);
  if (!chosen) return null;
  return (
    <label>
      <input type="checkbox" checked={chosen[kind].has(id)} onChange={() => turn(kind, id)} />
      <span class="unseen">
        <Around text="several.tick" title={title} />
      </span>
    </label>
  );
}
