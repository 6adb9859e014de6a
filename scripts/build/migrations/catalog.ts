import type pg from "pg";

/** A database's objects by name ("index modules_root_index"), with their definitions. */
export type Catalog = ReadonlyMap<string, string>;

/** The objects that migrations create: all except functions, views and triggers, which are applied. */
export async function readTableCatalog(client: pg.Client): Promise<Catalog> {
  const all = [...(await readCatalog(client))];
  return new Map(all.filter(([object]) => !/^(function|view|trigger) /.test(object)));
}

/**
 * Reads the objects of schema `public` from PostgreSQL's catalog. Excludes the order of columns and generated
 * names of `not null`, which have no effect. An extension represents its objects.
 */
export async function readCatalog(client: pg.Client): Promise<Catalog> {
  const { rows } = await client.query<{ object: string; definition: string }>(everything);
  return new Map(rows.map(({ object, definition }) => [object, definition]));
}

const everything = `
  with own as (
    select c.* from pg_class as c where c.relnamespace = 'public'::regnamespace
  ), parts (object, definition) as (
    select format('table %s', relname), concat(relkind, relpersistence, reloptions, relrowsecurity)
    from own where relkind in ('r', 'p')
  union all
    select format('column %s.%s', relname, attname),
           concat_ws(' ', format_type(atttypid, atttypmod), case when attnotnull then 'not null' end,
             case attidentity when 'a' then 'identity always' when 'd' then 'identity by default' end,
             case attgenerated when 's' then 'stored' when 'v' then 'virtual' else 'default' end
               || ' ' || pg_get_expr(adbin, adrelid),
             case when attcollation <> typcollation then format('collate %s', attcollation::regcollation) end)
    from own
    join pg_attribute on attrelid = own.oid and attnum > 0 and not attisdropped
    join pg_type on pg_type.oid = atttypid
    left join pg_attrdef on adrelid = own.oid and adnum = attnum
    where relkind in ('r', 'p')
  union all
    select format('constraint %s on %s', conname, relname), pg_get_constraintdef(pg_constraint.oid)
    from pg_constraint join own on own.oid = conrelid where contype <> 'n'
  union all
    select format('index %s', own.relname), pg_get_indexdef(own.oid)
    from own where relkind in ('i', 'I')
      and not exists (select from pg_constraint where conindid = own.oid and contype in ('p', 'u', 'x'))
  union all
    select format('trigger %s on %s', tgname, relname), concat(pg_get_triggerdef(pg_trigger.oid), ' ', tgenabled)
    from pg_trigger join own on own.oid = tgrelid where not tgisinternal
  union all
    select format('view %s', relname), concat(relkind, reloptions, pg_get_viewdef(oid))
    from own where relkind in ('v', 'm')
  union all
    select format('function %s', oid::regprocedure), pg_get_functiondef(oid)
    from pg_proc where pronamespace = 'public'::regnamespace and prokind <> 'a'
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
  union all
    select format('sequence %s', relname), concat_ws(' ', seqtypid::regtype, seqstart, seqincrement, seqmin, seqmax)
    from own join pg_sequence on seqrelid = own.oid
    where relkind = 'S' and not exists (select from pg_depend where objid = own.oid and deptype = 'i')
  union all
    select format('type %s', typname),
           concat(typtype, format_type(nullif(typbasetype, 0), typtypmod),
                  (select string_agg(enumlabel, ', ' order by enumsortorder) from pg_enum where enumtypid = pg_type.oid))
    from pg_type where typnamespace = 'public'::regnamespace and typtype in ('d', 'e', 'r')
  union all
    select format('policy %s on %s', polname, relname), concat(polcmd, pg_get_expr(polqual, polrelid))
    from pg_policy join own on own.oid = polrelid
  union all
    select format('statistics %s', stxname), pg_get_statisticsobjdef(oid)
    from pg_statistic_ext where stxnamespace = 'public'::regnamespace
  union all
    select format('extension %s', extname), extversion from pg_extension
  )
  select object, coalesce(definition, '') as definition from parts order by object collate "C"`;
