import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { explainError } from "../query.tsx";
import { t } from "../texts.ts";
import { arrayMove } from "./array-move.ts";
import { focusMoveButtonOfLine, MoveUpDownButtons } from "./move-buttons.tsx";

type ReorderableProps<Line> = {
  class: string;
  lines: Line[];
  onOrder: (ids: number[]) => Promise<unknown>;
  children: (line: Line, handle: ComponentChildren) => ComponentChildren;
};

type Move = { id: number; by: -1 | 1 };

export function ReorderableList<Line extends { id: number; title: string }>({
  class: kind,
  lines,
  onOrder,
  children,
}: ReorderableProps<Line>) {
  const list = useRef<HTMLOListElement>(null);
  const [move, setMove] = useState<Move>();
  const [dragged, drag] = useState<number>();
  const [said, say] = useState({ position: "", fault: "" });
  useEffect(() => {
    if (move)
      focusMoveButtonOfLine(list.current?.querySelector(`:scope > [data-line="${move.id}"]`), move.by);
  }, [move]);
  const ids = lines.map(({ id }) => id);
  const put = async ({ id, title }: Line, to: number, by: -1 | 1) => {
    try {
      await onOrder(arrayMove(ids, ids.indexOf(id), to));
      say({ position: t("move.done", { title, n: to + 1, all: lines.length }), fault: "" });
      setMove({ id, by });
    } catch (error) {
      say({ position: "", fault: explainError(error) });
    }
  };
  const drop = (event: DragEvent, at: number) => {
    const line = lines.find(({ id }) => id === dragged);
    if (!line) return;
    event.preventDefault();
    event.stopPropagation();
    drag(undefined);
    if (lines[at] !== line) put(line, at, -1);
  };
  const handleOf = (line: Line, at: number) => (
    <span class="row handle">
      <Grip title={line.title} onDrag={(isDragged) => drag(isDragged ? line.id : undefined)} />
      <MoveUpDownButtons
        title={line.title}
        isFirst={at === 0}
        isLast={at === lines.length - 1}
        onMove={(by) => put(line, at + by, by)}
      />
    </span>
  );
  return (
    <>
      <ol class={kind} ref={list}>
        {lines.map((line, at) => (
          <li
            key={line.id}
            data-line={line.id}
            class={dragged === line.id ? "dragged" : undefined}
            onDragOver={(event) => dragged !== undefined && event.preventDefault()}
            onDrop={(event) => drop(event, at)}
          >
            {children(line, handleOf(line, at))}
          </li>
        ))}
      </ol>
      <span class="unseen" role="status">
        {said.position}
      </span>
      {said.fault && (
        <p class="fault" role="alert">
          {said.fault}
        </p>
      )}
    </>
  );
}

/** Drag handle. The buttons next to it do the same by keyboard. */
function Grip({ title, onDrag }: { title: string; onDrag: (isDragged: boolean) => void }) {
  const start = (event: DragEvent) => {
    event.dataTransfer?.setData("text/plain", title);
    event.stopPropagation();
    onDrag(true);
  };
  return (
    <span class="grip" draggable aria-hidden="true" onDragStart={start} onDragEnd={() => onDrag(false)}>
      ⠿
    </span>
  );
}
