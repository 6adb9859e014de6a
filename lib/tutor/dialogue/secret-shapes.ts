import { parseLenientJson } from "./lenient-json.ts";
import { asObjectFields, findField, type ObjectFields } from "./object-fields.ts";
import { parseQuestionShape } from "./question-shape.ts";

const answerField =
  /(?<![\p{L}\p{N}_])["'“”‘’`*_]{0,3}(?:answers?|correct(?:[ _-]?(?:answer|option))?|right[ _-]?(?:answer|option))["'“”‘’`*_]{0,3}\s{0,4}[:=]/iu;
const otherField =
  /(?<![\p{L}\p{N}_])["'“”‘’`*_]{0,3}(?:misconceptions?|skills?|because)["'“”‘’`*_]{0,3}\s{0,4}[:=]/iu;
const questionField = /["'“”‘’`]question(?:[ _-]?(?:id|text))?["'“”‘’`]?\s{0,4}:|\bquestion(?:Id)?\s{0,4}:/i;
const keyField = /(?<![\p{L}\p{N}_])["'“”‘’`*_]{0,3}(?:(?:answer[ _-]?)?key)["'“”‘’`*_]{0,3}\s{0,4}[:=]/iu;
const optionsField = /(?<![\p{L}\p{N}_])["'“”‘’`*_]{0,3}(?:options|choices)["'“”‘’`*_]{0,3}\s{0,4}[:=]/iu;
/** A call of the tool `ask`, by the field with its name. */
const askField =
  /["'“”‘’`](?:name|tool|function|recipient_name)["'“”‘’`]?\s{0,4}:\s{0,4}["'“”‘’`](?:functions\.)?ask["'“”‘’`]/i;

export const isKeyShape = (text: string): boolean => answerField.test(text) && otherField.test(text);

/** A question with its key, or a call that asks one. A question alone is no secret. */
export const isQuestionShape = (text: string): boolean =>
  askField.test(text) ||
  (questionField.test(text) && optionsField.test(text) && (keyField.test(text) || isKeyShape(text)));

export const mayBecomeSecret = (text: string): boolean =>
  [answerField, otherField, questionField, optionsField, askField].some((one) => one.test(text));

const inputNames = ["arguments", "parameters", "input", "args", "toolinput"];
const deepest = 4;

export function unwrapCallArguments(value: unknown): unknown {
  let inner = value;
  for (let depth = 0; depth < deepest; depth += 1) {
    const [only] = Array.isArray(inner) ? inner : [inner];
    const fields = asObjectFields(typeof only === "string" ? parseLenientJson(only)?.value : only);
    if (!fields) return value;
    if (depth > 0 && parseQuestionShape(fields, false)) return fields;
    inner = nextLayer(fields);
    if (inner === undefined) return depth === 0 ? value : fields;
  }
  return value;
}

const nextLayer = (fields: ObjectFields): unknown =>
  findField(fields, inputNames) ?? findField(fields, ["toolcalls", "function", "call"]);
