import * as z from "zod";
import { may } from "../../lib/auth/guards.ts";
import { moduleTemplateCrud } from "../../lib/catalog/reference-data.ts";
import { pagination } from "../../schema/api/fields.ts";
import {
  ModuleTemplate,
  ModuleTemplateCreate,
  ModuleTemplateUpdate,
} from "../../schema/api/module-templates.ts";
import { resource } from "./resource.ts";

export const {
  listModuleTemplates,
  createModuleTemplate,
  getModuleTemplate,
  updateModuleTemplate,
  deleteModuleTemplate,
} = resource(
  { one: "ModuleTemplate", many: "ModuleTemplates" },
  {
    path: "/module-templates",
    id: "module_template_id",
    readers: may("module-template:read"),
    writers: may("module-template:write"),
    shape: ModuleTemplate,
    create: ModuleTemplateCreate,
    update: ModuleTemplateUpdate,
    query: z.object(pagination),
    crud: moduleTemplateCrud,
  },
);
