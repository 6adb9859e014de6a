import { readRepeatedlyInThisThread } from "../../platform/readers/reader-thread.ts";
import { verifySamlResponse } from "./response.ts";

readRepeatedlyInThisThread(verifySamlResponse);
