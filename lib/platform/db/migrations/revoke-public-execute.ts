import type pg from "pg";

/**
 * PUBLIC may execute new and restored functions: any database user would have the owner's rights by security
 * definer functions. Explicit grants stay.
 */
export async function revokePublicExecute(client: pg.Client): Promise<void> {
  await client.query(`
    do $$
    declare one regprocedure;
    begin
      for one in
        select oid from pg_proc
        where pronamespace = 'public'::regnamespace and prosecdef and has_function_privilege('public', oid, 'execute')
      loop
        execute format('revoke execute on function %s from public', one);
      end loop;
    end $$`);
}
