import { useContext } from "preact/hooks";
import { SentenceWithTitle } from "../markup/authored-text.tsx";
import { type SelectedModulesAndItems, SelectionContext } from "./selection.ts";

type TickProps = { kind: keyof SelectedModulesAndItems; id: number; title: string };

export function SelectionCheckbox({ kind, id, title }: TickProps) {
  const { chosen, turn } = useContext(SelectionContext);
  if (!chosen) return null;
  return (
    <label>
      <input type="checkbox" checked={chosen[kind].has(id)} onChange={() => turn(kind, id)} />
      <span class="unseen">
        <SentenceWithTitle text="several.tick" title={title} />
      </span>
    </label>
  );
}
