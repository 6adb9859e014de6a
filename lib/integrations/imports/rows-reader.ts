import { readInThisThread } from "../../platform/readers/reader-thread.ts";
import { readRows } from "./read-rows.ts";

readInThisThread(readRows);
