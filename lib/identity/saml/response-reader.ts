/** A worker thread that reads SAML responses. */
import { readOnInThisThread } from "../../platform/readers/reading.ts";
import { readResponse } from "./response.ts";

readOnInThisThread(readResponse);
