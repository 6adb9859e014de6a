import { contentTypeCrud } from "../../../lib/courses/catalog/content-types.ts";
import { anyone, permittedTo } from "../../../lib/identity/auth/guards.ts";
import {
  ContentType,
  ContentTypeCreate,
  ContentTypeQuery,
  ContentTypeUpdate,
} from "../../../schema/api/courses/content-types.ts";
import { createCrudEndpoints } from "./resource.ts";

export const { listContentTypes, createContentType, getContentType, updateContentType, deleteContentType } =
  createCrudEndpoints(
    { one: "ContentType", many: "ContentTypes" },
    {
      path: "/content-types",
      id: "content_type_id",
      readers: anyone,
      writers: permittedTo("reference-data:write"),
      shape: ContentType,
      create: ContentTypeCreate,
      update: ContentTypeUpdate,
      query: ContentTypeQuery,
      constraints: { written: ["already_taken"], deleted: ["still_in_use"] },
      crud: () => contentTypeCrud,
    },
  );
