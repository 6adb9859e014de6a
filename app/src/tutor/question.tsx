import type { TutorQuestion } from "learning-platform-client";
import { Prose } from "../markup/prose.tsx";

/** The tutor's question: an option is one step on the class's path. */
export function Options({ question, onChoose }: { question: TutorQuestion; onChoose: (id: string) => void }) {
  return (
    <fieldset class="options">
      <legend>
        <Prose source={question.question} />
      </legend>
      {question.options.map(({ id, text }) => (
        <button key={id} type="button" class="option" onClick={() => onChoose(id)}>
          <b>{id}</b> <Prose source={text} />
        </button>
      ))}
    </fieldset>
  );
}

/** A question that was asked before, as it was; what was chosen stands below it. */
export function Asked({ question }: { question: TutorQuestion }) {
  return (
    <div class="asked-before">
      <Prose source={question.question} />
      <ul>
        {question.options.map(({ id, text }) => (
          <li key={id}>
            <b>{id}</b> <Prose source={text} />
          </li>
        ))}
      </ul>
    </div>
  );
}
