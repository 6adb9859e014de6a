import { ImportedQuestions, type QuestionCreate } from "../../schema/api/assessment/questions.ts";
import { type FieldIssue, invalidField, ValidationError } from "../errors.ts";
import { BeyondBounds } from "../platform/readers/beyond-bounds.ts";
import { type DecodedText, decodeText, UndecodableTextError } from "../platform/readers/decode-text.ts";
import { lineOfJsonError } from "../platform/readers/json-line.ts";
import { receiveBytes } from "../platform/readers/reader-thread.ts";
import { toFieldIssues } from "../platform/validation/issues.ts";
import { findLostCharacters, findUnstorableValues } from "../platform/validation/unstorable.ts";

/** Larger than any file with the maximum number of questions. */
const maxQuestionFileMegabytes = 16;

export type ParsedQuestionsFile = { questions: QuestionCreate[]; read_as: string };

/** 422 if a request with these questions would be rejected. */
export async function parseUploadedQuestionsInWorker(): Promise<ParsedQuestionsFile> {
  const bytes = await receiveBytes(maxQuestionFileMegabytes).catch((error) => {
    throw error instanceof BeyondBounds ? invalidField(["file_id"], `File ${error.message}`) : error;
  });
  const { text, read_as } = decoded(bytes);
  const given = questionsIn(text);
  refuse([...findUnstorableValues("body", given), ...findLostCharacters("body", given)]);
  const { data, error } = ImportedQuestions.safeParse(given);
  if (error) refuse(toFieldIssues("body", given, error.issues));
  return { questions: data ?? [], read_as };
}

function decoded(bytes: Buffer): DecodedText {
  try {
    return decodeText(bytes);
  } catch (error) {
    throw error instanceof UndecodableTextError ? invalidField(["file_id"], error.message) : error;
  }
}

/** A list, or an export that contains one. */
function questionsIn(text: string): unknown {
  try {
    const given: unknown = JSON.parse(text);
    return typeof given === "object" && given !== null && "questions" in given ? given.questions : given;
  } catch {
    const line = lineOfJsonError(text);
    throw invalidField(["file_id"], `File should be JSON, but line ${line} is not`, "json_invalid");
  }
}

/** Reports issues as fields of the parameter that names the file. */
function refuse(issues: readonly FieldIssue[]): void {
  if (issues.length === 0) return;
  throw new ValidationError(
    issues.map(({ loc: [source = "body", ...path], ...issue }) => ({
      ...issue,
      loc: [source, "file_id", ...path],
    })),
  );
}
