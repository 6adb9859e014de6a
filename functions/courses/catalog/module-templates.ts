import { moduleTemplateCrudFor } from "../../../lib/courses/catalog/module-templates.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import {
  ModuleTemplate,
  ModuleTemplateCreate,
  ModuleTemplateQuery,
  ModuleTemplateUpdate,
} from "../../../schema/api/courses/module-templates.ts";
import { createCrudEndpoints } from "./resource.ts";

export const {
  listModuleTemplates,
  createModuleTemplate,
  getModuleTemplate,
  updateModuleTemplate,
  deleteModuleTemplate,
} = createCrudEndpoints(
  { one: "ModuleTemplate", many: "ModuleTemplates" },
  {
    path: "/module-templates",
    id: "module_template_id",
    readers: permittedTo("shared-read", "module-template:read"),
    writers: permittedTo("module-template:write", "shared-write"),
    shape: ModuleTemplate,
    create: ModuleTemplateCreate,
    update: ModuleTemplateUpdate,
    query: ModuleTemplateQuery,
    constraints: { written: ["does_not_exist"], deleted: [] },
    crud: moduleTemplateCrudFor,
  },
);
