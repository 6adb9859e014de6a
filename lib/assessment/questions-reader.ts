/** Worker thread that reads a file of questions. */
import { readInThisThread } from "../platform/readers/reader-thread.ts";
import { readUploadedQuestions } from "./read-questions.ts";

readInThisThread(readUploadedQuestions);
