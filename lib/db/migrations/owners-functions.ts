import type pg from "pg";

/**
 * Takes from PUBLIC the functions that act with their owner's rights. A new one, and one from a backup, may be called by
 * whoever reaches the database: then anyone there could do what its owner alone may. What an account was granted stays.
 */
export async function keepOwnersFunctions(client: pg.Client): Promise<void> {
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
