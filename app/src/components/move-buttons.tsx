import { LabelWithScreenReaderSentence } from "./action.tsx";

type MoveButtonsProps = {
  title: string;
  isFirst: boolean;
  isLast: boolean;
  /** One position up (-1) or down (1). */
  onMove: (by: -1 | 1) => void;
};

/** Moves a list entry by click, touch or keyboard. */
export function MoveUpDownButtons({ title, isFirst, isLast, onMove }: MoveButtonsProps) {
  return (
    <span class="moves">
      <button type="button" class="quiet" data-move={-1} disabled={isFirst} onClick={() => onMove(-1)}>
        <LabelWithScreenReaderSentence text="move.up" title={title}>
          ↑
        </LabelWithScreenReaderSentence>
      </button>
      <button type="button" class="quiet" data-move={1} disabled={isLast} onClick={() => onMove(1)}>
        <LabelWithScreenReaderSentence text="move.down" title={title}>
          ↓
        </LabelWithScreenReaderSentence>
      </button>
    </span>
  );
}

/** Focuses the same button on the moved line, or the opposite one at the end of the list. */
export function focusMoveButtonOfLine(line: Element | null | undefined, by: -1 | 1): void {
  const buttons = [by, -by].map((way) => line?.querySelector<HTMLButtonElement>(`[data-move="${way}"]`));
  buttons.find((button) => button && !button.disabled)?.focus();
}
