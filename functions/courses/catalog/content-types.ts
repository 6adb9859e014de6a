import { contentTypeCrud } from "../../../lib/courses/catalog/content-types.ts";
import { anyone, may } from "../../../lib/identity/auth/guards.ts";
import {
  ContentType,
  ContentTypeCreate,
  ContentTypeQuery,
  ContentTypeUpdate,
} from "../../../schema/api/courses/content-types.ts";
import { resource } from "./resource.ts";

export const { listContentTypes, createContentType, getContentType, updateContentType, deleteContentType } =
  resource(
    { one: "ContentType", many: "ContentTypes" },
    {
      path: "/content-types",
      id: "content_type_id",
      readers: anyone,
      writers: may("reference-data:write"),
      shape: ContentType,
      create: ContentTypeCreate,
      update: ContentTypeUpdate,
      query: ContentTypeQuery,
      constraints: { written: ["already_taken"], deleted: ["still_in_use"] },
      crud: () => contentTypeCrud,
    },
  );
