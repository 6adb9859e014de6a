import type { TutorQuestion } from "learning-platform-client";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { dialogueMoveLabel } from "./moves.ts";

type OptionsProps = {
  question: TutorQuestion;
  /** Moves that are available next to the options. */
  moves?: readonly string[] | undefined;
  onChoose: (answer: string) => void;
};

/** The tutor's question. Options and moves are steps on the shared path. */
export function TutorQuestionOptions({ question, moves = [], onChoose }: OptionsProps) {
  return (
    <fieldset class="options">
      <legend>
        <MarkdownWithFormulas source={question.question} />
      </legend>
      {question.options.map(({ id, text }) => (
        <button key={id} type="button" class="option" onClick={() => onChoose(id)}>
          <b>{id}</b> <MarkdownWithFormulas source={text} />
        </button>
      ))}
      {moves.length > 0 && (
        <div class="row moves-of">
          {moves.map((move) => (
            <button key={move} type="button" class="quiet" onClick={() => onChoose(move)}>
              {dialogueMoveLabel(move)}
            </button>
          ))}
        </div>
      )}
    </fieldset>
  );
}

/** A past question. The choice is shown below it. */
export function PastQuestion({ question }: { question: TutorQuestion }) {
  return (
    <div class="asked-before">
      <MarkdownWithFormulas source={question.question} />
      <ul>
        {question.options.map(({ id, text }) => (
          <li key={id}>
            <b>{id}</b> <MarkdownWithFormulas source={text} />
          </li>
        ))}
      </ul>
    </div>
  );
}
