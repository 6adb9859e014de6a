-- What the service needs of its database, for an account of its own beside the owner that migrates: it reads and writes
-- rows, makes and changes no table, and adds to the audit log, which it does not change. What takes rows or people out of that
-- log are functions with their owner's rights. The owner runs this, as often as they like:
--
--   psql "$DIRECT_DATABASE_URL" --single-transaction -v ON_ERROR_STOP=1 -v role=service -f schema/grants.sql

revoke create on schema public from public;
do $$ begin execute format('revoke temporary on database %I from public', current_database()); end $$;

grant usage on schema public, drizzle to :"role";
grant select on drizzle.__drizzle_migrations, drizzle.applied_versions to :"role";
grant select, insert, update, delete on all tables in schema public to :"role";
grant usage, select on all sequences in schema public to :"role";

revoke update, delete on audit_events from :"role";
revoke insert, update, delete on audit_people from :"role";
grant execute on function erase_account, prune_audit_events to :"role";

-- What later migrations of this owner make.
alter default privileges in schema public grant select, insert, update, delete on tables to :"role";
alter default privileges in schema public grant usage, select on sequences to :"role";
alter default privileges in schema public grant execute on functions to :"role";
