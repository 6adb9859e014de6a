import { readRepeatedlyInThisThread } from "../../platform/readers/reader-thread.ts";
import { readPart } from "./read-part.ts";

readRepeatedlyInThisThread(readPart);
