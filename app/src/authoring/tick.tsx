import { useContext } from "preact/hooks";
import { t } from "../texts.ts";
import { type Selection, SelectionContext } from "./selection.ts";

type TickProps = { kind: keyof Selection; id: number; title: string };

/** Ticks one of an outline, while several are chosen. */
export function Tick({ kind, id, title }: TickProps) {
  const { chosen, turn } = useContext(SelectionContext);
  if (!chosen) return null;
  return (
    <input
      type="checkbox"
      aria-label={t("several.tick", { title })}
      checked={chosen[kind].has(id)}
      onChange={() => turn(kind, id)}
    />
  );
}
