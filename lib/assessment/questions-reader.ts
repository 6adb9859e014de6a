/** Worker thread that reads a file of questions. */
import { readInThisThread } from "../platform/readers/reading.ts";
import { readUploadedQuestions } from "./read-questions.ts";

readInThisThread(readUploadedQuestions);
