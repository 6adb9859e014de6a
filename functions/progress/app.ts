import { group } from "../../lib/http/endpoint.ts";
import { listContent, listModules, postContent, postModule } from "./progress.ts";

export const progress = group("Progress", "/progress", [listModules, postModule, listContent, postContent]);
