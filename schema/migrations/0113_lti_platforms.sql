set local check_function_bodies = off;
--> statement-breakpoint
CREATE TABLE "lti_keys" (
	"id" varchar(64) PRIMARY KEY NOT NULL,
	"generation" integer NOT NULL,
	"public_jwk" jsonb NOT NULL,
	"private_key" text NOT NULL,
	"signs_from" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "lti_keys_generation_unique" UNIQUE("generation")
);
--> statement-breakpoint
CREATE TABLE "lti_deployments" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "lti_deployments_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"platform_id" integer NOT NULL,
	"deployment_id" varchar(255) NOT NULL,
	"admitted_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "lti_deployments_platform_id_deployment_id_unique" UNIQUE("platform_id","deployment_id")
);
--> statement-breakpoint
CREATE TABLE "lti_platforms" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "lti_platforms_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"name" varchar(255) NOT NULL,
	"issuer" varchar(512) NOT NULL,
	"client_id" varchar(255) NOT NULL,
	"auth_login_url" varchar(1000) NOT NULL,
	"auth_token_url" varchar(1000) NOT NULL,
	"jwks_url" varchar(1000) NOT NULL,
	"frame_origins" text[] DEFAULT '{}' NOT NULL,
	"trusts_sourced_id" boolean DEFAULT false NOT NULL,
	"trusts_email" boolean DEFAULT false NOT NULL,
	"staff_by_institution_role" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "lti_platforms_university_id_issuer_client_id_unique" UNIQUE("university_id","issuer","client_id")
);
--> statement-breakpoint
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_action_check";
--> statement-breakpoint
ALTER TABLE "lti_deployments" ADD CONSTRAINT "lti_deployments_platform_id_lti_platforms_id_fk" FOREIGN KEY ("platform_id") REFERENCES "public"."lti_platforms"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "lti_platforms" ADD CONSTRAINT "lti_platforms_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'invitation.sent', 'invitation.revoked', 'invitation.declined', 'import.started', 'api_key.created', 'api_key.revoked', 'api_key.adopted', 'identity_provider.created', 'identity_provider.changed', 'identity_provider.removed', 'lti_platform.created', 'lti_platform.changed', 'lti_platform.removed', 'lti_deployment.admitted', 'lti_deployment.removed', 'university_domain.granted', 'university_domain.removed', 'enrollment.created', 'enrollment.changed', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'university.deactivated', 'university.reactivated', 'university.own_provider_required', 'university.own_provider_waived', 'university.exported', 'university.imported', 'university.removed', 'account.deactivated', 'account.reactivated', 'member.suspended', 'member.restored', 'account.exported', 'account.erased', 'account.erasure_ended', 'account.taken_over', 'access.refused', 'sign_in', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted', 'tutor_answer.replaced', 'tutor_answer.purged', 'tutor_answer.restored', 'tutor_answer.keyed', 'tutor_answer.approved', 'tutor_answers.warmed', 'tutor_pin.confirmed', 'tutor_pin.dropped', 'tutor_notes.changed', 'quiz.override_granted', 'quiz.regraded', 'certificate.issued', 'certificate.revoked', 'certificate.reissued', 'submission.override_granted', 'auto_grader.read', 'auto_grader.renewed', 'tutor_progress.read', 'grade.changed', 'grades.released', 'grading_scheme.changed', 'content.settings_removed', 'announcement.deleted', 'post.hidden', 'post.kept', 'review.hidden', 'review.kept', 'thread.locked', 'thread.unlocked', 'thread.deleted', 'file.refused'));
--> statement-breakpoint
-- Takes a launch that was verified: its nonce is good once. `accepted`; `waiting` while nobody has admitted the deployment,
-- which is noted then, twenty of a platform at most; `replayed`; `gone` where the platform was removed meanwhile.
create or replace function take_lti_launch(the_platform integer, the_deployment text, nonce_hash text, moment timestamptz)
returns text language plpgsql as $$
declare
  is_admitted boolean;
begin
  if not take_once('launch of LTI platform ' || the_platform || ' ' || nonce_hash, moment) then return 'replayed'; end if;
  select admitted_at is not null into is_admitted from lti_deployments
  where platform_id = the_platform and deployment_id = the_deployment;
  if is_admitted then return 'accepted'; end if;
  if not found then
    perform from lti_platforms where id = the_platform for no key update;
    if not found then return 'gone'; end if;
    insert into lti_deployments (platform_id, deployment_id)
    select the_platform, the_deployment
    where (select count(*) from lti_deployments where platform_id = the_platform and admitted_at is null) < 20
    on conflict do nothing;
  end if;
  return 'waiting';
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
