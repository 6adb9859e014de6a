import { group } from "../../lib/http/endpoint.ts";
import { listOfferings } from "./offerings.ts";
import { getTutorInbox } from "./tutor-inbox.ts";

export const offerings = group("Offerings", "/offerings", [listOfferings, getTutorInbox]);
