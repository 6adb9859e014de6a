import { useContext } from "preact/hooks";
import { TranslatedSentenceWithTitle } from "../markup/text-in-content-language.tsx";
import { OutlineSelectionContext, type SelectedModulesAndItems } from "./selection.ts";

type TickProps = { kind: keyof SelectedModulesAndItems; id: number; title: string };

export function SelectionCheckbox({ kind, id, title }: TickProps) {
  const { chosen, turn } = useContext(OutlineSelectionContext);
  if (!chosen) return null;
  return (
    <label>
      <input type="checkbox" checked={chosen[kind].has(id)} onChange={() => turn(kind, id)} />
      <span class="unseen">
        <TranslatedSentenceWithTitle text="several.tick" title={title} />
      </span>
    </label>
  );
}
