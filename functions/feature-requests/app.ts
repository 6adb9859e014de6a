import { group } from "../../lib/http/endpoint.ts";
import { create, listAll, listMine, update } from "./feature-requests.ts";

export const featureRequests = group("Feature requests", "/feature-requests", [
  create,
  listMine,
  listAll,
  update,
]);
