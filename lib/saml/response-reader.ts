/** The thread that reads responses of identity providers. */
import { readOnInThisThread } from "../readers/reading.ts";
import { readResponse } from "./response.ts";

readOnInThisThread(readResponse);
