import { group } from "../../lib/http/endpoint.ts";
import { listOfferings } from "./offerings.ts";

export const offerings = group("Offerings", "/offerings", [listOfferings]);
