import { readInThisThread } from "../../platform/readers/reader-thread.ts";
import { readFiles } from "./read-files.ts";

readInThisThread(readFiles);
