/** Worker thread that reads SAML responses. */
import { readOnInThisThread } from "../readers/reading.ts";
import { readResponse } from "./response.ts";

readOnInThisThread(readResponse);
