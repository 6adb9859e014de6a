import type pg from "pg";

/** Rows that both deployments identify by name or code. */
export type NamedRow =
  | { kind: "country"; id: number; code: string }
  | { kind: "content_type"; id: number; code: string; row: object }
  | {
      kind: "subject";
      id: number;
      code: string;
      parent: string | null;
      domain: string | null;
      row: SubjectRow;
    }
  | { kind: "domain"; code: string; row: { name: string; description: string | null } }
  | {
      kind: "prompt_name";
      code: string;
      row: object;
      versions: object[];
      labels: object[];
      events: object[];
    };

export type SubjectRow = { name: string; description: string | null };

/** Rows of shared lists that this university refers to; parent subjects come first. */
export async function namedRows(client: pg.Client, university: number): Promise<string[]> {
  const lines: string[] = [];
  for (const statement of [countries, contentTypes, domains, subjects, prompts]) {
    const { rows } = await client.query<{ line: string }>(
      statement.replaceAll(":university", String(university)),
    );
    lines.push(...rows.map(({ line }) => line));
  }
  return lines;
}

const countries = `
  select json_build_object('kind', 'country', 'id', id, 'code', iso_code)::text as line from countries
  where id = (select country_id from universities where id = :university)`;

const contentTypes = `
  select json_build_object('kind', 'content_type', 'id', id, 'code', name,
           'row', json_build_object('label', label, 'description', description))::text as line
  from content_types
  where id in (select content_type_id from content_items where university_id = :university) order by id`;

/** Subjects of its courses and people, with their ancestors. */
const named = `
  with recursive named (id) as (
    select primary_subject_id from courses where university_id = :university and primary_subject_id is not null
    union select subject_id from course_subjects join courses on courses.id = course_id where university_id = :university
    union select subject_id from user_subject_preferences where user_id in (select id from people_taken)
    union select parent_subject_id from subjects join named using (id) where parent_subject_id is not null)`;

const domains = `${named}
  select json_build_object('kind', 'domain', 'code', code,
           'row', json_build_object('name', name, 'description', description))::text as line
  from domains where id in (select domain_id from subjects join named using (id)) order by id`;

const subjects = `${named}
  select json_build_object('kind', 'subject', 'id', one.id, 'code', one.code, 'parent', above.code,
           'domain', domains.code,
           'row', json_build_object('name', one.name, 'description', one.description))::text as line
  from subjects as one join named using (id)
  left join subjects as above on above.id = one.parent_subject_id
  left join domains on domains.id = one.domain_id
  order by one.depth, one.id`;

/** Prompts of its stored answers, and all that they reference. */
const prompts = `
  with recursive reached (name) as (
    select distinct prompt_name from cache_nodes
    where content_item_id in (select id from content_items where university_id = :university)
    union
    select child_name from prompt_dependencies join prompts on prompts.id = prompt_id join reached using (name))
  select json_build_object('kind', 'prompt_name', 'code', name,
    'row', json_build_object('type', type, 'tags', tags, 'latest_version', latest_version, 'created_at', created_at,
      'version', version),
    'versions', (
      select json_agg(json_build_object('version', prompts.version, 'prompt', prompt, 'config', config,
        'commit_message', commit_message, 'created_at', prompts.created_at, 'updated_at', updated_at,
        'references', coalesce((
          select json_agg(json_build_object('position', position, 'child_name', child_name,
            'child_version', child_version, 'child_label', child_label, 'occurrences', occurrences,
            'tag_characters', tag_characters) order by position)
          from prompt_dependencies where prompt_id = prompts.id), '[]')) order by prompts.version)
      from prompts where prompts.name = prompt_names.name),
    'labels', coalesce((
      select json_agg(json_build_object('label', label, 'version', prompts.version))
      from prompt_labels join prompts on prompts.id = prompt_id where prompt_labels.name = prompt_names.name), '[]'),
    'events', coalesce((
      select json_agg(json_build_object('label', label, 'from_version', from_version, 'to_version', to_version,
        'changed_at', changed_at) order by id)
      from prompt_label_events where prompt_label_events.name = prompt_names.name), '[]'))::text as line
  from prompt_names join reached using (name)`;
