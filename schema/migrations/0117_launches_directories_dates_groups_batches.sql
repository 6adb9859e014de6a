set local check_function_bodies = off;
--> statement-breakpoint
drop function asked_last(bigint,bigint);
--> statement-breakpoint
drop function begin_warming(integer,integer,text,text,text,text,integer,integer,integer,jsonb);
--> statement-breakpoint
drop function claim_trial_case(integer,interval);
--> statement-breakpoint
drop function hold_question(integer,text,bigint,jsonb,jsonb);
--> statement-breakpoint
drop function module_access(integer,integer,timestamp with time zone,boolean,timestamp with time zone,boolean);
--> statement-breakpoint
drop function open_turn(bigint,integer,integer,text,text,text,bigint,uuid,text,text[],text,integer,text,date,timestamp with time zone,integer,text,boolean,text);
--> statement-breakpoint
drop function quiz_rules(integer,integer,integer);
--> statement-breakpoint
CREATE TABLE "accommodations" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "accommodations_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"time_factor" numeric(3, 2) NOT NULL,
	"extra_days" integer NOT NULL,
	"valid_until" date,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "accommodations_unique" UNIQUE("university_id","user_id"),
	CONSTRAINT "accommodations_time_factor_check" CHECK ("accommodations"."time_factor" between 1 and 3),
	CONSTRAINT "accommodations_extra_days_check" CHECK ("accommodations"."extra_days" between 0 and 365)
);
--> statement-breakpoint
CREATE TABLE "university_offices" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "university_offices_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"office_right" text NOT NULL,
	"granted_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "university_offices_unique" UNIQUE("university_id","user_id","office_right"),
	CONSTRAINT "university_offices_office_right_check" CHECK ("university_offices"."office_right" in ('accommodation:write'))
);
--> statement-breakpoint
CREATE TABLE "llm_batches" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "llm_batches_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"trial_id" bigint,
	"warming_id" bigint,
	"marker" uuid DEFAULT gen_random_uuid() NOT NULL,
	"provider_id" varchar(255),
	"state" text DEFAULT 'gathering' NOT NULL,
	"requests" integer DEFAULT 0 NOT NULL,
	"token" uuid,
	"leased_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"sent_at" timestamp (3) with time zone,
	"cancelled_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "llm_batches_state_check" CHECK ("llm_batches"."state" in ('gathering', 'sending', 'sent', 'ended', 'lost', 'refused')),
	CONSTRAINT "llm_batches_owner_check" CHECK (num_nonnulls("llm_batches"."trial_id", "llm_batches"."warming_id") = 1)
);
--> statement-breakpoint
CREATE TABLE "lti_contexts" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "lti_contexts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"platform_id" integer NOT NULL,
	"deployment_id" integer NOT NULL,
	"context_id" varchar(255) NOT NULL,
	"title" varchar(255) NOT NULL,
	"course_offering_id" integer NOT NULL,
	"university_id" integer NOT NULL,
	"memberships_url" varchar(2000),
	"line_items_url" varchar(2000),
	"grade_scopes" text[] DEFAULT '{}' NOT NULL,
	"bound_by_user_id" integer,
	"last_launched_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "lti_contexts_platform_id_deployment_id_context_id_unique" UNIQUE("platform_id","deployment_id","context_id")
);
--> statement-breakpoint
CREATE TABLE "lti_enrollments" (
	"enrollment_id" integer NOT NULL,
	"context_id" integer NOT NULL,
	"source" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "lti_enrollments_enrollment_id_context_id_pk" PRIMARY KEY("enrollment_id","context_id"),
	CONSTRAINT "lti_enrollments_source_check" CHECK ("lti_enrollments"."source" in ('launch', 'roster'))
);
--> statement-breakpoint
CREATE TABLE "lti_links" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "lti_links_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"context_id" integer NOT NULL,
	"resource_link_id" varchar(255) NOT NULL,
	"title" varchar(255),
	"content_item_id" integer,
	"module_id" integer,
	"line_item_url" varchar(2000),
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "lti_links_context_id_resource_link_id_unique" UNIQUE("context_id","resource_link_id"),
	CONSTRAINT "lti_links_target_check" CHECK (num_nonnulls("lti_links"."content_item_id", "lti_links"."module_id") <= 1)
);
--> statement-breakpoint
CREATE TABLE "offering_staff" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "offering_staff_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_offering_id" integer NOT NULL,
	"university_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"role" text NOT NULL,
	"source" text NOT NULL,
	"lti_context_id" integer,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "offering_staff_course_offering_id_user_id_unique" UNIQUE("course_offering_id","user_id"),
	CONSTRAINT "offering_staff_role_check" CHECK ("offering_staff"."role" in ('ta', 'instructor')),
	CONSTRAINT "offering_staff_source_check" CHECK ("offering_staff"."source" in ('launch', 'roster'))
);
--> statement-breakpoint
CREATE TABLE "lti_launch_codes" (
	"code_hash" varchar(64) PRIMARY KEY NOT NULL,
	"platform_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"challenge" varchar(64),
	"launch" jsonb NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "lti_refused_launches" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "lti_refused_launches_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"platform_id" integer NOT NULL,
	"day" date NOT NULL,
	"reason" varchar(32) NOT NULL,
	"launches" integer NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	"last_request_id" varchar(64),
	CONSTRAINT "lti_refused_launches_platform_id_day_reason_unique" UNIQUE("platform_id","day","reason")
);
--> statement-breakpoint
CREATE TABLE "lti_people" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "lti_people_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"platform_id" integer NOT NULL,
	"subject" varchar(255) NOT NULL,
	"user_id" integer,
	"linked_by" text,
	"unlinked_at" timestamp (3) with time zone,
	"told_name" varchar(255),
	"told_email" varchar(255),
	"told_sourced_id" varchar(255),
	"last_launched_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "lti_people_platform_id_subject_unique" UNIQUE("platform_id","subject"),
	CONSTRAINT "lti_people_linked_by_check" CHECK ("lti_people"."linked_by" in ('sourced_id', 'email', 'sign_in', 'made')),
	CONSTRAINT "lti_people_linked_check" CHECK (num_nonnulls("lti_people"."user_id", "lti_people"."linked_by") <> 1)
);
--> statement-breakpoint
CREATE TABLE "lti_rosters" (
	"context_id" integer PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"mode" text NOT NULL,
	"asked_by_user_id" integer,
	"due_at" timestamp (3) with time zone NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"counts" jsonb,
	"failure" varchar(255),
	"taken_at" timestamp (3) with time zone,
	"differences_url" varchar(2000),
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "lti_rosters_state_check" CHECK ("lti_rosters"."state" in ('asked', 'taken', 'dry', 'failed', 'waiting')),
	CONSTRAINT "lti_rosters_mode_check" CHECK ("lti_rosters"."mode" in ('whole', 'dry', 'confirmed', 'nightly'))
);
--> statement-breakpoint
CREATE TABLE "lti_score_marks" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "lti_score_marks_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"course_offering_id" integer NOT NULL,
	"user_id" integer,
	"content_item_id" integer,
	"is_forced" boolean DEFAULT false NOT NULL,
	"after_person_id" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "lti_scores" (
	"link_id" integer NOT NULL,
	"person_id" integer NOT NULL,
	"marks" integer DEFAULT 1 NOT NULL,
	"due_at" timestamp (3) with time zone,
	"waits_since" timestamp (3) with time zone NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"told_at" timestamp (3) with time zone,
	"sent_at" timestamp (3) with time zone,
	"sent_score" numeric(8, 2),
	"sent_maximum" numeric(8, 2),
	"is_refused" boolean DEFAULT false NOT NULL,
	"failure" varchar(255),
	CONSTRAINT "lti_scores_link_id_person_id_pk" PRIMARY KEY("link_id","person_id")
);
--> statement-breakpoint
CREATE TABLE "lti_service_pauses" (
	"platform_id" integer PRIMARY KEY NOT NULL,
	"until" timestamp (3) with time zone NOT NULL,
	"tries" integer NOT NULL,
	"failure" varchar(255) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offering_dates" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "offering_dates_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"module_id" integer,
	"content_item_id" integer,
	"available_from" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "offering_dates_unique" UNIQUE NULLS NOT DISTINCT("course_offering_id","content_item_id","module_id"),
	CONSTRAINT "offering_dates_of_one" CHECK (num_nonnulls("offering_dates"."module_id", "offering_dates"."content_item_id") = 1),
	CONSTRAINT "offering_dates_say_something" CHECK (num_nonnulls("offering_dates"."available_from", "offering_dates"."due_at") > 0),
	CONSTRAINT "offering_dates_due_at_check" CHECK ("offering_dates"."due_at" > "offering_dates"."available_from")
);
--> statement-breakpoint
CREATE TABLE "offering_group_dates" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "offering_group_dates_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"group_id" integer NOT NULL,
	"module_id" integer,
	"content_item_id" integer,
	"available_from" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "offering_group_dates_unique" UNIQUE NULLS NOT DISTINCT("group_id","content_item_id","module_id"),
	CONSTRAINT "offering_group_dates_of_one" CHECK (num_nonnulls("offering_group_dates"."module_id", "offering_group_dates"."content_item_id") = 1),
	CONSTRAINT "offering_group_dates_say_something" CHECK (num_nonnulls("offering_group_dates"."available_from", "offering_group_dates"."due_at") > 0),
	CONSTRAINT "offering_group_dates_due_at_check" CHECK ("offering_group_dates"."due_at" > "offering_group_dates"."available_from")
);
--> statement-breakpoint
CREATE TABLE "offering_group_members" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "offering_group_members_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"group_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"group_role" text NOT NULL,
	"joined_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "offering_group_members_unique" UNIQUE("group_id","user_id"),
	CONSTRAINT "offering_group_members_group_role_check" CHECK ("offering_group_members"."group_role" in ('member', 'staff'))
);
--> statement-breakpoint
CREATE TABLE "offering_groups" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "offering_groups_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_offering_id" integer NOT NULL,
	"name" varchar(255) NOT NULL,
	"capacity" integer,
	"self_enrollment" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "offering_groups_unique" UNIQUE("course_offering_id","name"),
	CONSTRAINT "offering_groups_of_offering" UNIQUE("id","course_offering_id"),
	CONSTRAINT "offering_groups_capacity_check" CHECK ("offering_groups"."capacity" > 0)
);
--> statement-breakpoint
CREATE TABLE "saml_providers" (
	"identity_provider_id" integer PRIMARY KEY NOT NULL,
	"metadata_url" varchar(1000),
	"metadata_certificate" text,
	"sso_url" varchar(1000) NOT NULL,
	"certificates" text[] NOT NULL,
	"scopes" text[] DEFAULT '{}' NOT NULL,
	"valid_until" timestamp (3) with time zone,
	"signed" text DEFAULT 'both' NOT NULL,
	"affiliation_roles" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"certificate" text NOT NULL,
	"metadata_read_at" timestamp (3) with time zone NOT NULL,
	"metadata_tried_at" timestamp (3) with time zone NOT NULL,
	"metadata_problem" varchar(500),
	"seen_attributes" jsonb,
	"seen_at" timestamp (3) with time zone,
	CONSTRAINT "saml_providers_signed_check" CHECK ("saml_providers"."signed" in ('both', 'response', 'assertion'))
);
--> statement-breakpoint
CREATE TABLE "saml_refusals" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "saml_refusals_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"identity_provider_id" integer NOT NULL,
	"reason" varchar(32) NOT NULL,
	"detail" varchar(500),
	"times" integer NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "saml_refusals_identity_provider_id_reason_unique" UNIQUE("identity_provider_id","reason")
);
--> statement-breakpoint
CREATE TABLE "scim_group_members" (
	"group_id" integer NOT NULL,
	"scim_user_id" integer NOT NULL,
	CONSTRAINT "scim_group_members_group_id_scim_user_id_pk" PRIMARY KEY("group_id","scim_user_id")
);
--> statement-breakpoint
CREATE TABLE "scim_groups" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "scim_groups_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"display_name" varchar(255) NOT NULL,
	"external_id" varchar(255),
	"role" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "scim_groups_external_id_key" UNIQUE("university_id","external_id"),
	CONSTRAINT "scim_groups_role_check" CHECK ("scim_groups"."role" in ('student', 'ta', 'instructor'))
);
--> statement-breakpoint
CREATE TABLE "scim_users" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "scim_users_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"user_name" varchar(255) NOT NULL,
	"external_id" varchar(255),
	"email" varchar(255),
	"full_name" varchar(255) NOT NULL,
	"is_active" boolean NOT NULL,
	"attributes" jsonb NOT NULL,
	"user_id" integer,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "scim_users_external_id_key" UNIQUE("university_id","external_id"),
	CONSTRAINT "scim_users_user_id_key" UNIQUE("university_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "api_keys" DROP CONSTRAINT "api_keys_scopes_check";
--> statement-breakpoint
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_action_check";
--> statement-breakpoint
ALTER TABLE "invitations" DROP CONSTRAINT "invitations_source_check";
--> statement-breakpoint
ALTER TABLE "mail_outbox" DROP CONSTRAINT "mail_outbox_kind_check";
--> statement-breakpoint
ALTER TABLE "university_members" DROP CONSTRAINT "university_members_source_check";
--> statement-breakpoint
ALTER TABLE "users" DROP CONSTRAINT "users_erased_check";
--> statement-breakpoint
ALTER TABLE "activity_events" DROP CONSTRAINT "activity_events_university_id_universities_id_fk";
--> statement-breakpoint
ALTER TABLE "generations" DROP CONSTRAINT "generations_session_id_chat_sessions_id_fk";
--> statement-breakpoint
ALTER TABLE "llm_calls" DROP CONSTRAINT "llm_calls_university_id_universities_id_fk";
--> statement-breakpoint
ALTER TABLE "llm_calls" DROP CONSTRAINT "llm_calls_course_id_courses_id_fk";
--> statement-breakpoint
ALTER TABLE "llm_calls" DROP CONSTRAINT "llm_calls_content_item_id_content_items_id_fk";
--> statement-breakpoint
ALTER TABLE "llm_calls" DROP CONSTRAINT "llm_calls_user_id_users_id_fk";
--> statement-breakpoint
ALTER TABLE "tutor_steps" DROP CONSTRAINT "tutor_steps_course_offering_id_course_offerings_id_fk";
--> statement-breakpoint
ALTER TABLE "tutor_steps" DROP CONSTRAINT "tutor_steps_content_item_id_content_items_id_fk";
--> statement-breakpoint
DROP INDEX "generations_session_id_index";
--> statement-breakpoint
DROP INDEX "tutor_steps_answer_key";
--> statement-breakpoint
DROP INDEX "tutor_steps_user_id_index";
--> statement-breakpoint
DROP INDEX "tutor_steps_course_offering_id_index";
--> statement-breakpoint
DROP INDEX "tutor_steps_try_key";
--> statement-breakpoint
ALTER TABLE "users" ALTER COLUMN "search_text" DROP EXPRESSION;
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "warned_at" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "enrollments" ADD COLUMN "is_dropped_by_staff" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "course_grades" ADD COLUMN "university_id" integer;
--> statement-breakpoint
ALTER TABLE "course_grades" ADD COLUMN "change_number" bigint;
--> statement-breakpoint
ALTER TABLE "identity_providers" ADD COLUMN "kind" text DEFAULT 'oidc' NOT NULL;
--> statement-breakpoint
ALTER TABLE "llm_calls" ADD COLUMN "is_batch" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "user_university_roles" ADD COLUMN "by_directory" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "trial_cases" ADD COLUMN "batch_id" bigint;
--> statement-breakpoint
ALTER TABLE "trials" ADD COLUMN "batch_least" integer;
--> statement-breakpoint
ALTER TABLE "university_members" ADD COLUMN "suspended_by_directory" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "warming_nodes" ADD COLUMN "batch_id" bigint;
--> statement-breakpoint
ALTER TABLE "warming_nodes" ADD COLUMN "call_id" bigint;
--> statement-breakpoint
ALTER TABLE "warmings" ADD COLUMN "by_batch" boolean DEFAULT true NOT NULL;
--> statement-breakpoint
ALTER TABLE "accommodations" ADD CONSTRAINT "accommodations_member_fk" FOREIGN KEY ("university_id","user_id") REFERENCES "public"."university_members"("university_id","user_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "university_offices" ADD CONSTRAINT "university_offices_member_fk" FOREIGN KEY ("university_id","user_id") REFERENCES "public"."university_members"("university_id","user_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "llm_batches" ADD CONSTRAINT "llm_batches_trial_id_trials_id_fk" FOREIGN KEY ("trial_id") REFERENCES "public"."trials"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "llm_batches" ADD CONSTRAINT "llm_batches_warming_id_warmings_id_fk" FOREIGN KEY ("warming_id") REFERENCES "public"."warmings"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "lti_contexts" ADD CONSTRAINT "lti_contexts_bound_by_user_id_users_id_fk" FOREIGN KEY ("bound_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "lti_contexts" ADD CONSTRAINT "lti_contexts_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id","university_id") REFERENCES "public"."course_offerings"("id","university_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "lti_enrollments" ADD CONSTRAINT "lti_enrollments_enrollment_id_enrollments_id_fk" FOREIGN KEY ("enrollment_id") REFERENCES "public"."enrollments"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "lti_enrollments" ADD CONSTRAINT "lti_enrollments_context_id_lti_contexts_id_fk" FOREIGN KEY ("context_id") REFERENCES "public"."lti_contexts"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "lti_links" ADD CONSTRAINT "lti_links_context_id_lti_contexts_id_fk" FOREIGN KEY ("context_id") REFERENCES "public"."lti_contexts"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "lti_links" ADD CONSTRAINT "lti_links_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "lti_links" ADD CONSTRAINT "lti_links_module_id_modules_id_fk" FOREIGN KEY ("module_id") REFERENCES "public"."modules"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "offering_staff" ADD CONSTRAINT "offering_staff_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "offering_staff" ADD CONSTRAINT "offering_staff_lti_context_id_lti_contexts_id_fk" FOREIGN KEY ("lti_context_id") REFERENCES "public"."lti_contexts"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "offering_staff" ADD CONSTRAINT "offering_staff_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id","university_id") REFERENCES "public"."course_offerings"("id","university_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "lti_launch_codes" ADD CONSTRAINT "lti_launch_codes_platform_id_lti_platforms_id_fk" FOREIGN KEY ("platform_id") REFERENCES "public"."lti_platforms"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "lti_launch_codes" ADD CONSTRAINT "lti_launch_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "lti_refused_launches" ADD CONSTRAINT "lti_refused_launches_platform_id_lti_platforms_id_fk" FOREIGN KEY ("platform_id") REFERENCES "public"."lti_platforms"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "lti_people" ADD CONSTRAINT "lti_people_platform_id_lti_platforms_id_fk" FOREIGN KEY ("platform_id") REFERENCES "public"."lti_platforms"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "lti_people" ADD CONSTRAINT "lti_people_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "lti_rosters" ADD CONSTRAINT "lti_rosters_context_id_lti_contexts_id_fk" FOREIGN KEY ("context_id") REFERENCES "public"."lti_contexts"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "lti_rosters" ADD CONSTRAINT "lti_rosters_asked_by_user_id_users_id_fk" FOREIGN KEY ("asked_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "lti_score_marks" ADD CONSTRAINT "lti_score_marks_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "lti_score_marks" ADD CONSTRAINT "lti_score_marks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "lti_score_marks" ADD CONSTRAINT "lti_score_marks_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "lti_scores" ADD CONSTRAINT "lti_scores_link_id_lti_links_id_fk" FOREIGN KEY ("link_id") REFERENCES "public"."lti_links"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "lti_scores" ADD CONSTRAINT "lti_scores_person_id_lti_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."lti_people"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "lti_service_pauses" ADD CONSTRAINT "lti_service_pauses_platform_id_lti_platforms_id_fk" FOREIGN KEY ("platform_id") REFERENCES "public"."lti_platforms"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "offering_dates" ADD CONSTRAINT "offering_dates_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "offering_dates" ADD CONSTRAINT "offering_dates_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "offering_dates" ADD CONSTRAINT "offering_dates_module_id_modules_id_fk" FOREIGN KEY ("module_id") REFERENCES "public"."modules"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "offering_dates" ADD CONSTRAINT "offering_dates_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "offering_group_dates" ADD CONSTRAINT "offering_group_dates_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "offering_group_dates" ADD CONSTRAINT "offering_group_dates_module_id_modules_id_fk" FOREIGN KEY ("module_id") REFERENCES "public"."modules"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "offering_group_dates" ADD CONSTRAINT "offering_group_dates_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "offering_group_dates" ADD CONSTRAINT "offering_group_dates_group_fk" FOREIGN KEY ("group_id","course_offering_id") REFERENCES "public"."offering_groups"("id","course_offering_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "offering_group_members" ADD CONSTRAINT "offering_group_members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "offering_group_members" ADD CONSTRAINT "offering_group_members_group_fk" FOREIGN KEY ("group_id","course_offering_id") REFERENCES "public"."offering_groups"("id","course_offering_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "offering_groups" ADD CONSTRAINT "offering_groups_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "saml_providers" ADD CONSTRAINT "saml_providers_identity_provider_id_identity_providers_id_fk" FOREIGN KEY ("identity_provider_id") REFERENCES "public"."identity_providers"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "saml_refusals" ADD CONSTRAINT "saml_refusals_identity_provider_id_identity_providers_id_fk" FOREIGN KEY ("identity_provider_id") REFERENCES "public"."identity_providers"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "scim_group_members" ADD CONSTRAINT "scim_group_members_group_id_scim_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."scim_groups"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "scim_group_members" ADD CONSTRAINT "scim_group_members_scim_user_id_scim_users_id_fk" FOREIGN KEY ("scim_user_id") REFERENCES "public"."scim_users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "scim_groups" ADD CONSTRAINT "scim_groups_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "scim_users" ADD CONSTRAINT "scim_users_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "scim_users" ADD CONSTRAINT "scim_users_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "accommodations_user_id_index" ON "accommodations" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "university_offices_user_id_index" ON "university_offices" USING btree ("user_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "llm_batches_open_trial_key" ON "llm_batches" USING btree ("trial_id") WHERE "llm_batches"."state" in ('gathering', 'sending', 'sent');
--> statement-breakpoint
CREATE UNIQUE INDEX "llm_batches_open_warming_key" ON "llm_batches" USING btree ("warming_id") WHERE "llm_batches"."state" in ('gathering', 'sending', 'sent');
--> statement-breakpoint
CREATE INDEX "llm_batches_trial_id_index" ON "llm_batches" USING btree ("trial_id");
--> statement-breakpoint
CREATE INDEX "llm_batches_warming_id_index" ON "llm_batches" USING btree ("warming_id");
--> statement-breakpoint
CREATE INDEX "llm_batches_open_index" ON "llm_batches" USING btree ("leased_until") WHERE "llm_batches"."state" in ('gathering', 'sending', 'sent');
--> statement-breakpoint
CREATE INDEX "llm_batches_sent_at_index" ON "llm_batches" USING btree ("sent_at");
--> statement-breakpoint
CREATE INDEX "lti_contexts_deployment_id_index" ON "lti_contexts" USING btree ("deployment_id");
--> statement-breakpoint
CREATE INDEX "lti_contexts_course_offering_id_index" ON "lti_contexts" USING btree ("course_offering_id");
--> statement-breakpoint
CREATE INDEX "lti_contexts_bound_by_user_id_index" ON "lti_contexts" USING btree ("bound_by_user_id");
--> statement-breakpoint
CREATE INDEX "lti_enrollments_context_id_index" ON "lti_enrollments" USING btree ("context_id");
--> statement-breakpoint
CREATE INDEX "lti_links_content_item_id_index" ON "lti_links" USING btree ("content_item_id");
--> statement-breakpoint
CREATE INDEX "lti_links_module_id_index" ON "lti_links" USING btree ("module_id");
--> statement-breakpoint
CREATE INDEX "offering_staff_user_id_index" ON "offering_staff" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "offering_staff_lti_context_id_index" ON "offering_staff" USING btree ("lti_context_id");
--> statement-breakpoint
CREATE INDEX "lti_launch_codes_platform_id_index" ON "lti_launch_codes" USING btree ("platform_id");
--> statement-breakpoint
CREATE INDEX "lti_launch_codes_user_id_index" ON "lti_launch_codes" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "lti_launch_codes_expires_at_index" ON "lti_launch_codes" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "lti_refused_launches_day_index" ON "lti_refused_launches" USING btree ("day");
--> statement-breakpoint
CREATE INDEX "lti_people_user_id_index" ON "lti_people" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "lti_people_platform_id_last_launched_at_index" ON "lti_people" USING btree ("platform_id","last_launched_at");
--> statement-breakpoint
CREATE INDEX "lti_rosters_due_index" ON "lti_rosters" USING btree (greatest(due_at, coalesce(lease_until, due_at)));
--> statement-breakpoint
CREATE INDEX "lti_rosters_asked_by_user_id_index" ON "lti_rosters" USING btree ("asked_by_user_id");
--> statement-breakpoint
CREATE INDEX "lti_score_marks_course_offering_id_index" ON "lti_score_marks" USING btree ("course_offering_id");
--> statement-breakpoint
CREATE INDEX "lti_score_marks_user_id_index" ON "lti_score_marks" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "lti_score_marks_content_item_id_index" ON "lti_score_marks" USING btree ("content_item_id");
--> statement-breakpoint
CREATE INDEX "lti_scores_person_id_index" ON "lti_scores" USING btree ("person_id");
--> statement-breakpoint
CREATE INDEX "lti_scores_due_index" ON "lti_scores" USING btree ("due_at") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "offering_dates_module_id_index" ON "offering_dates" USING btree ("module_id");
--> statement-breakpoint
CREATE INDEX "offering_dates_content_item_id_index" ON "offering_dates" USING btree ("content_item_id");
--> statement-breakpoint
CREATE INDEX "offering_dates_openings_index" ON "offering_dates" USING btree ("course_id") WHERE "offering_dates"."available_from" is not null;
--> statement-breakpoint
CREATE INDEX "offering_dates_due_index" ON "offering_dates" USING btree ("due_at") WHERE "offering_dates"."due_at" is not null;
--> statement-breakpoint
CREATE INDEX "offering_dates_course_id_index" ON "offering_dates" USING btree ("course_id");
--> statement-breakpoint
CREATE INDEX "offering_group_dates_course_offering_id_index" ON "offering_group_dates" USING btree ("course_offering_id");
--> statement-breakpoint
CREATE INDEX "offering_group_dates_module_id_index" ON "offering_group_dates" USING btree ("module_id");
--> statement-breakpoint
CREATE INDEX "offering_group_dates_content_item_id_index" ON "offering_group_dates" USING btree ("content_item_id");
--> statement-breakpoint
CREATE INDEX "offering_group_dates_course_id_index" ON "offering_group_dates" USING btree ("course_id");
--> statement-breakpoint
CREATE INDEX "offering_group_dates_openings_index" ON "offering_group_dates" USING btree ("course_id") WHERE "offering_group_dates"."available_from" is not null;
--> statement-breakpoint
CREATE INDEX "offering_group_dates_due_index" ON "offering_group_dates" USING btree ("due_at") WHERE "offering_group_dates"."due_at" is not null;
--> statement-breakpoint
CREATE INDEX "offering_group_members_course_offering_id_user_id_index" ON "offering_group_members" USING btree ("course_offering_id","user_id");
--> statement-breakpoint
CREATE INDEX "offering_group_members_user_id_index" ON "offering_group_members" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "saml_providers_metadata_tried_at_index" ON "saml_providers" USING btree ("metadata_tried_at");
--> statement-breakpoint
CREATE INDEX "scim_group_members_scim_user_id_index" ON "scim_group_members" USING btree ("scim_user_id");
--> statement-breakpoint
CREATE INDEX "scim_groups_university_id_id_index" ON "scim_groups" USING btree ("university_id","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "scim_users_user_name_key" ON "scim_users" USING btree ("university_id",lower("user_name"));
--> statement-breakpoint
CREATE INDEX "scim_users_university_id_email_index" ON "scim_users" USING btree ("university_id","email");
--> statement-breakpoint
CREATE INDEX "scim_users_university_id_id_index" ON "scim_users" USING btree ("university_id","id");
--> statement-breakpoint
CREATE INDEX "scim_users_user_id_index" ON "scim_users" USING btree ("user_id");
--> statement-breakpoint
ALTER TABLE "course_grades" ADD CONSTRAINT "course_grades_university_fk" FOREIGN KEY ("course_offering_id","university_id") REFERENCES "public"."course_offerings"("id","university_id") ON DELETE restrict ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "quiz_overrides_due_index" ON "quiz_overrides" USING btree ("due_at") WHERE "quiz_overrides"."due_at" is not null;
--> statement-breakpoint
CREATE INDEX "trial_cases_batch_index" ON "trial_cases" USING btree ("batch_id") WHERE batch_id is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "tutor_steps_try_key" ON "tutor_steps" USING btree ("user_id","content_item_id","question_hash","try_number");
--> statement-breakpoint
ALTER TABLE "lti_deployments" ADD CONSTRAINT "lti_deployments_id_platform_id_unique" UNIQUE("id","platform_id");
--> statement-breakpoint
ALTER TABLE "lti_platforms" ADD CONSTRAINT "lti_platforms_id_university_id_unique" UNIQUE("id","university_id");
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_scopes_check" CHECK (cardinality(scopes) > 0 and scopes <@ array['people:read', 'people:write', 'enrollments:write', 'grades:read', 'reports:read', 'events:read', 'scim']);
--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'invitation.sent', 'invitation.revoked', 'invitation.declined', 'import.started', 'api_key.created', 'api_key.revoked', 'api_key.adopted', 'scim_user.created', 'scim_user.deleted', 'scim_group.mapped', 'office.granted', 'office.revoked', 'accommodation.granted', 'accommodation.withdrawn', 'group.created', 'group.changed', 'group.deleted', 'group.member_added', 'group.member_removed', 'identity_provider.created', 'identity_provider.changed', 'identity_provider.removed', 'lti_platform.created', 'lti_platform.changed', 'lti_platform.removed', 'lti_deployment.admitted', 'lti_deployment.removed', 'lti_context.bound', 'lti_context.unbound', 'lti_person.linked', 'lti_person.unlinked', 'offering_staff.named', 'offering_staff.removed', 'university_domain.granted', 'university_domain.removed', 'enrollment.created', 'enrollment.changed', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'university.deactivated', 'university.reactivated', 'university.own_provider_required', 'university.own_provider_waived', 'university.exported', 'university.imported', 'university.removed', 'account.deactivated', 'account.reactivated', 'member.suspended', 'member.restored', 'member.corrected', 'account.exported', 'account.erased', 'account.erasure_ended', 'account.taken_over', 'access.refused', 'sign_in', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted', 'prompt.rollout_started', 'prompt.rollout_promoted', 'prompt.rollout_stopped', 'tutor_answer.replaced', 'tutor_answer.purged', 'tutor_answer.restored', 'tutor_answer.keyed', 'tutor_answer.approved', 'tutor_answers.warmed', 'tutor_pin.confirmed', 'tutor_pin.dropped', 'tutor_notes.changed', 'quiz.override_granted', 'quiz.regraded', 'certificate.issued', 'certificate.revoked', 'certificate.reissued', 'submission.override_granted', 'auto_grader.read', 'auto_grader.renewed', 'tutor_progress.read', 'grade.changed', 'grades.released', 'grading_scheme.changed', 'content.settings_removed', 'announcement.deleted', 'post.hidden', 'post.kept', 'review.hidden', 'review.kept', 'thread.locked', 'thread.unlocked', 'thread.deleted', 'file.refused', 'lti_roster.taken'));
--> statement-breakpoint
ALTER TABLE "identity_providers" ADD CONSTRAINT "identity_providers_kind_check" CHECK ("identity_providers"."kind" in ('oidc', 'saml'));
--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_source_check" CHECK ("invitations"."source" in ('operation', 'import', 'directory'));
--> statement-breakpoint
ALTER TABLE "mail_outbox" ADD CONSTRAINT "mail_outbox_kind_check" CHECK ("mail_outbox"."kind" in ('password_reset', 'password_changed', 'verify_email', 'change_email', 'email_changed', 'invitation', 'notifications', 'api_keys'));
--> statement-breakpoint
ALTER TABLE "university_members" ADD CONSTRAINT "university_members_source_check" CHECK ("university_members"."source" in ('import', 'staff', 'directory'));
--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_erased_check" CHECK ("users"."erased_at" is null
          or num_nonnulls("users"."email", "users"."password_hash", "users"."email_verified_at") = 0
             and "users"."full_name" = '' and not "users"."is_active");
--> statement-breakpoint
-- Gives a person who has its address what an invitation offers, as far as who made it may still give it. Answers why
-- not, and then gives nothing of it: `void` when it is none any more, or not theirs.
create or replace function accept_invitation(
  the_invitation integer, person integer, request jsonb, out refusal text, out missing text
) language plpgsql as $$
declare
  offer invitations;
begin
  perform lock_invited_scopes(array[the_invitation]);
  select * into offer from invitations
  where id = the_invitation and accepted_at is null and revoked_at is null and expires_at > sent_at(request)
  for update;
  if offer.id is null or not exists (
    select from users where id = person and is_active and email = offer.email
  ) then
    refusal := 'void';
  elsif offer.source = 'directory' then
    -- It is the directory's, whoever made the key: who may do without the key is asked of each request.
    if not exists (
      select from scim_users where university_id = offer.university_id and email = offer.email and is_active
    ) then
      refusal := 'withdrawn';
    end if;
  elsif not exists (select from users where id = offer.invited_by_user_id and is_active)
      or offer.role is not null
        and not may_grant(offer.invited_by_user_id, offer.role, offer.university_id, offer.department_id)
      or offer.course_offering_id is not null and not exists (
        select from course_offerings as run
        where run.id = offer.course_offering_id and case when offer.teaches
          then is_instructor_of_offering(offer.invited_by_user_id, run.id)
          else is_staff_of_offering(offer.invited_by_user_id, run.id) end) then
    refusal := 'withdrawn';
  elsif offer.course_offering_id is not null and not offer.teaches and not exists (
    select from enrollments
    where course_offering_id = offer.course_offering_id and user_id = person and status <> 'dropped'
  ) then
    -- Who is in two offerings of a course by the university's own records is so here.
    select placed.refusal, placed.missing into refusal, missing
    from enroll(offer.course_offering_id, person, sent_at(request), null, offer.invited_by_user_id, offer.overrides,
                request, offer.source = 'import') as placed;
  end if;
  if refusal is not null then return; end if;
  if offer.role is not null then
    insert into user_university_roles (user_id, university_id, role, department_id, by_directory)
    values (person, offer.university_id, offer.role, offer.department_id, offer.source = 'directory')
    on conflict do nothing;
    if found then
      perform audit('role.granted', offer.invited_by_user_id, person, offer.university_id, jsonb_strip_nulls(
        jsonb_build_object('role', offer.role, 'department_id', offer.department_id, 'invitation_id', offer.id)),
        request);
    end if;
  end if;
  if offer.teaches then
    insert into course_offering_instructors (course_offering_id, user_id) values (offer.course_offering_id, person)
    on conflict do nothing;
  end if;
  insert into sourced_people (university_id, sourced_id, user_id)
  select offer.university_id, offer.sourced_id, person where offer.sourced_id is not null on conflict do nothing;
  update invitations set accepted_at = sent_at(request), accepted_by_user_id = person where id = offer.id;
  perform link_scim_user_of(offer.university_id, offer.email, person, offer.invited_by_user_id, request);
end $$;
--> statement-breakpoint
-- What a person is given in a university at that moment: no row where it is nothing, or has ended.
create or replace function accommodation_of(person integer, university integer, moment timestamptz)
returns table (time_factor numeric, extra_days integer, zone text) language sql stable as $$
  select one.time_factor, one.extra_days, place.time_zone
  from accommodations as one join universities as place on place.id = one.university_id
  where one.user_id = person and one.university_id = university
    and coalesce((moment at time zone place.time_zone)::date <= one.valid_until, true)
$$;
--> statement-breakpoint
-- A moment as the service answers it.
create or replace function answered_moment(moment timestamptz) returns text language sql immutable as $$
  select to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
--> statement-breakpoint
-- Whether the taker of an attempt may see its right answers: by the item's policy once it is over, once nobody can be
-- taking the quiz any more, or never. Not while they take an exam of the course, which may ask the same, nor for as long
-- as an attempt that counts would be the better for it.
create or replace function are_answers_shown(attempt quiz_attempts, moment timestamptz) returns boolean
language sql stable as $$
  select is_over(attempt, moment) and not is_under_exam(attempt.user_id, offering.course_id, moment) and case
           coalesce(item.data_json ->> 'show_answers', case when attempt.is_exam then 'after_due' else 'after_submit' end)
           when 'after_submit' then true
           when 'after_due' then is_quiz_closed_to_all(item.id, offering.id, moment) and not exists (
             select from quiz_attempts as other
             where other.course_offering_id = offering.id and other.content_item_id = item.id
               and other.submitted_at is null and not is_over(other, moment)
           )
           else false
         end and not serves_another_attempt(attempt, moment)
  from content_items as item, course_offerings as offering
  where item.id = attempt.content_item_id and offering.id = attempt.course_offering_id
$$;
--> statement-breakpoint
-- Has a roster read, as that person asks. Answers why not: `none`, where the LMS offers none, or `not waiting`, for
-- `confirmed` where nothing waits.
create or replace function ask_for_lti_roster(the_context integer, the_mode text, asker integer, moment timestamptz)
returns text language plpgsql as $$
begin
  if not exists (select from lti_contexts where id = the_context and memberships_url is not null) then return 'none'; end if;
  if the_mode = 'confirmed' then
    update lti_rosters set state = 'asked', mode = 'confirmed', asked_by_user_id = asker, due_at = moment, tries = 0,
      failure = null, updated_at = moment
    where context_id = the_context and state = 'waiting';
    return case when not found then 'not waiting' end;
  end if;
  insert into lti_rosters as one (context_id, state, mode, asked_by_user_id, due_at, created_at, updated_at)
  values (the_context, 'asked', the_mode, asker, moment, moment, moment)
  on conflict (context_id) do update set
    state = 'asked', mode = excluded.mode, asked_by_user_id = asker, due_at = moment, tries = 0, failure = null,
    updated_at = moment;
  return null;
end $$;
--> statement-breakpoint
-- By its key, also while the planner knows nothing of the table yet, as in the first import.
create or replace function become_member() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (select from university_members where university_id = new.university_id and user_id = new.user_id) then
    return new;
  end if;
  insert into university_members (university_id, user_id, full_name, email, search_text, created_at)
  select new.university_id, id, full_name, coalesce(email, ''), coalesce(search_text, ''), created_at from users where id = new.user_id for share
  on conflict do nothing;
  return new;
end $$;
--> statement-breakpoint
-- Begins the calls of a trial's batch for whoever holds it: `calls` has of each case its `id`, the most `tokens` and `micros`
-- that it may use; `most` are the tokens of the university's month. Those that fit have a call then, and are to be sent; the others have
-- ended, with the reason. No row: it is someone else's step by now.
create or replace function begin_batch_calls(the_batch bigint, holder uuid, calls jsonb, most bigint)
returns table (one bigint, call bigint) language plpgsql as $$
#variable_conflict use_column
declare
  batch llm_batches;
  asked record;
begin
  select * into batch from llm_batches where id = the_batch and token = holder and state = 'gathering' for no key update;
  if not found then return; end if;
  for asked in
    select told.* from jsonb_to_recordset(calls) as told (id bigint, tokens bigint, micros bigint) order by told.id
  loop
    select begun.call into call from begin_trial_call(
      asked.id, batch.marker, asked.tokens, asked.micros, most, null) as begun;
    one := asked.id;
    if call is not null then return next; end if;
  end loop;
  update llm_batches set
    requests = sums.calls, state = case sums.calls when 0 then 'ended' else 'sending' end,
    sent_at = case when sums.calls > 0 then clock_timestamp() end, ended_at = case sums.calls when 0 then clock_timestamp() end
  from (select count(*) as calls from trial_cases where batch_id = the_batch and call_id is not null) as sums
  where id = the_batch;
end $$;
--> statement-breakpoint
-- Begins the call of a case for whoever holds it: `call`, or why there is none. `reserve` are the most tokens and micros
-- that it may use; `most` the tokens of a university's month, null for no limit.
create or replace function begin_trial_call(
  the_case bigint, holder uuid, reserve bigint, micros bigint, most bigint, held_for interval,
  out call bigint, out refused_by text
) language plpgsql as $$
declare
  trial trials;
  held trial_cases;
  university integer;
begin
  select one.* into trial from trials as one join trial_cases on trial_cases.trial_id = one.id
  where trial_cases.id = the_case for no key update of one;
  select * into held from trial_cases
  where id = the_case and token = holder and state = 'running' and call_id is null for no key update;
  if not found then
    refused_by := 'lost';
    return;
  end if;
  select university_id into university from courses where id = trial.course_id;
  if trial.state <> 'running' then
    refused_by := 'stopped';
  elsif trial.spent_micros + trial.reserved_micros + trial.lost_micros + micros > trial.limit_micros then
    refused_by := 'limit';
  elsif not reserve_trial_tokens(university, reserve, most) then
    refused_by := 'budget';
  end if;
  if refused_by is not null then
    perform end_trial_case(the_case, holder, 'skipped', jsonb_build_object('reason', refused_by), null);
    return;
  end if;
  insert into llm_calls (university_id, course_id, content_item_id, model, reserved_tokens, purpose, is_batch)
  values (university, trial.course_id, held.content_item_id,
          case held.stage when 'answer' then trial.model else trial.judge_model end, reserve, 'trial',
          held.batch_id is not null)
  returning id into call;
  update trial_cases set call_id = call, reserved_micros = micros, leased_until = clock_timestamp() + held_for
  where id = the_case;
  update trials set reserved_micros = trials.reserved_micros + micros where id = trial.id;
end $$;
--> statement-breakpoint
-- Begins a batch of a warming, for whoever holds that: a call for each of the nodes that is offered above and not stored, as far as
-- they fit into the month. Nobody waits for them: a class that comes there meanwhile makes its answer at once. No row: none is of use.
create or replace function begin_warm_batch(the_warming bigint, the_token uuid, the_nodes bigint[], budget jsonb)
returns table (batch bigint, node bigint, call bigint, exchanges json) language plpgsql as $$
#variable_conflict use_column
declare
  job warmings;
  step warming_nodes;
  parent bigint;
  way bigint[];
  said text;
  begun integer := 0;
begin
  select * into job from warmings
  where id = the_warming and lease_token = the_token and state = 'running' and lease_until > clock_timestamp();
  if not found then return; end if;
  insert into llm_batches (warming_id, state, sent_at) values (job.id, 'sending', clock_timestamp()) returning id into batch;
  for step in
    select * from warming_nodes where id = any (the_nodes) and state = 'waiting' and batch_id is null order by id
  loop
    said := step.path ->> -1;
    parent := null;
    way := '{}';
    if step.level > 1 then
      parent := node_at_path(job, step.path - -1);
      way := lock_path_shared(parent);
      continue when parent is null or parent <> all (way) or said like '@%' or not exists (
        select from cache_nodes as above, jsonb_each_text(above.choices) as choice
        where above.id = parent and choice.value = said);
    end if;
    continue when node_at_path(job, step.path) is not null or known_answer(
      job.content_item_id, parent, said, sha256_hex(said), job.prompt_name, job.prompt_version, job.model,
      job.prompt_fingerprint, job.content_fingerprint, job.former_fingerprint, true) is not null;
    exchanges := shared_path(way);
    call := begin_warm_call(null, job, budget || jsonb_build_object(
      'is_batch', true, 'reserve', (budget ->> 'reserve')::bigint + octet_length(exchanges::text) / 3));
    exit when call is null;
    update warming_nodes set batch_id = batch, call_id = call where id = step.id;
    node := step.id;
    begun := begun + 1;
    return next;
  end loop;
  update llm_batches set requests = begun, state = case begun when 0 then 'ended' else state end,
                         ended_at = case begun when 0 then clock_timestamp() end
  where id = batch;
end $$;
--> statement-breakpoint
-- Begins a call that is bound to no person, if it fits into the university's month; null where it does not. Of an answer that a
-- batch has given that has begun already: `call` in the settings. `is_batch`: it is to be sent as part of one.
create or replace function begin_warm_call(the_generation bigint, job warmings, settings jsonb) returns bigint
language plpgsql as $$
declare
  item content_items;
  reserve bigint := (settings ->> 'reserve')::bigint;
  most bigint;
  begun bigint;
begin
  if settings ? 'call' then
    begun := (settings ->> 'call')::bigint;
    update generations set call_id = begun where id = the_generation;
    return begun;
  end if;
  select * into item from content_items where id = job.content_item_id;
  select tokens_per_month into most from tutor_budget_of(item.university_id, settings);
  perform expire_calls(array(select call_id from generations where id = the_generation));
  if not reserve_tokens(item.university_id, reserve, most) then return null; end if;
  insert into llm_calls (university_id, course_id, content_item_id, model, reserved_tokens, purpose, warming_id, is_batch)
  values (item.university_id, item.course_id, item.id, job.model, reserve, 'warm', job.id,
          coalesce((settings ->> 'is_batch')::boolean, false))
  returning id into begun;
  update generations set call_id = begun where id = the_generation;
  return begun;
end $$;
--> statement-breakpoint
-- Begins a warming, audited, with what it is expected to use: `system_tokens` is what a call is told beside the path. Answers
-- its report; null where one of the item is under way.
create or replace function begin_warming(
  the_item integer, the_prompt integer, the_model text, the_prompt_fingerprint text, the_key text, the_former_key text,
  most integer, system_tokens integer, editor integer, request jsonb, at_once boolean default false
) returns json language plpgsql as $$
declare
  begun warmings;
begin
  insert into warmings (
    content_item_id, prompt_id, prompt_name, prompt_version, model, prompt_fingerprint, content_fingerprint,
    former_fingerprint, most_nodes, by_batch)
  select the_item, id, name, version, the_model, the_prompt_fingerprint, the_key, the_former_key, most, not at_once
  from prompts where id = the_prompt
  on conflict (content_item_id) where state in ('waiting', 'running') do nothing
  returning * into begun;
  if begun.id is null then return null; end if;
  with planned as (
    select plan.* from plan_warming(
      the_item, begun.prompt_name, begun.prompt_version, the_model, the_prompt_fingerprint, the_key, most) as plan
  ), added as (
    insert into warming_nodes (warming_id, path, level, expected_visits)
    select begun.id, path, level, expected from planned order by level, expected desc, path
  )
  update warmings as one set
    estimated_input_tokens = sums.input, estimated_output_tokens = sums.output,
    state = case sums.calls when 0 then 'done' else one.state end,
    ended_at = case sums.calls when 0 then service_clock() end
  from (
    -- Each call is told the answers above it.
    select count(*) as calls, coalesce(round(sum(system_tokens + (level - 1) * mean.tokens)), 0) as input,
           coalesce(round(sum(answer_tokens)), 0) as output
    from planned cross join (select avg(answer_tokens) + 20 as tokens from planned) as mean
  ) as sums
  where one.id = begun.id;
  perform audit_tree_change('tutor_answers.warmed', the_item, null, editor, request);
  return warming_report(begun.id);
end $$;
--> statement-breakpoint
-- An attempt keeps the deadline with which it started. One that started without any gets one with its quiz or offering:
-- else whoever leaves it open would take the quiz for ever, and keep what is shown when it is due from everyone. Those
-- that are just being written are left out, since who writes them may wait for the offering.
create or replace function bound_open_attempts() returns trigger language plpgsql as $$
begin
  update quiz_attempts as mine set due_at = greatest(mine.started_at, bounded.due_at)
  from (
    select one.id, quiz_deadline(
             one.content_item_id, one.course_offering_id, one.user_id, one.started_at, service_now()) as due_at
    from quiz_attempts as one
    where case tg_table_name when 'content_items' then one.content_item_id else one.course_offering_id end = new.id
      and one.submitted_at is null and one.due_at is null
    for update of one skip locked
  ) as bounded
  where mine.id = bounded.id and bounded.due_at is not null;
  return null;
end $$;
--> statement-breakpoint
-- Whether a person can still do something at an item for a result: go on with an attempt that is open, or begin or hand
-- in another, which is not closed, while one is left and their grade is not final.
create or replace function can_be_tried(item integer, offering integer, person integer, moment timestamptz)
returns boolean language sql stable as $$
  select coalesce((
    select exists (
      select from quiz_attempts as one
      where one.user_id = person and one.course_offering_id = offering and one.content_item_id = item
        and one.submitted_at is null and not is_over(one, moment)
    ) or coalesce(moment < rules.closes_at, true)
      and coalesce(rules.most_attempts > attempts_taken(person, item, offering), true)
    from quiz_rules(item, offering, person, moment) as rules
    union all
    select not is_grade_final(offering, person) and (rules.takes_late or coalesce(moment <= rules.due_at, true))
      and coalesce(rules.most_attempts > (
        select count(*) from lab_submissions as one
        where one.user_id = any (selves_of(person)) and one.course_offering_id = offering and one.content_item_id = item
          and one.status <> 'returned'
      ), true)
    from work_rules(item, offering, person) as rules
  ), true)
$$;
--> statement-breakpoint
-- Takes a trial's batch whose next step is due, or begins one for a running trial in which enough cases wait. Its cases are
-- held by its marker, whoever does its steps. No row: there is none.
create or replace function claim_trial_batch(most integer, held_for interval) returns setof llm_batches
language plpgsql as $$
declare
  taken llm_batches;
  trial bigint;
begin
  perform pg_advisory_xact_lock('trial_cases'::regclass::oid::int, 0);
  select * into taken from llm_batches
  where trial_id is not null and state in ('gathering', 'sending', 'sent')
    and coalesce(leased_until, '-infinity') <= clock_timestamp()
  order by leased_until, id limit 1 for no key update skip locked;
  if found then
    return query update llm_batches as one
      set token = gen_random_uuid(), leased_until = clock_timestamp() + held_for where one.id = taken.id returning one.*;
    return;
  end if;
  select one.id into trial from trials as one
  where one.state = 'running' and waits_for_batch(one)
    and not exists (select from llm_batches where trial_id = one.id and state in ('gathering', 'sending', 'sent'))
  order by one.id limit 1;
  if trial is null then return; end if;
  insert into llm_batches (trial_id, token, leased_until)
  values (trial, gen_random_uuid(), clock_timestamp() + held_for) returning * into taken;
  update trial_cases set state = 'running', tries = tries + 1, token = taken.marker, batch_id = taken.id, leased_until = null
  where id in (
    select id from trial_cases where trial_id = trial and state = 'waiting' and tries = 0
    order by id limit most for no key update);
  return next taken;
end $$;
--> statement-breakpoint
-- Takes the next case for whoever calls the LLM, of the running trial with the fewest under way, unless so many are under
-- way already: those of all trials, but for those in batches. `by_batch`: whether there are any; else none waits for one. No
-- row: there is none to take.
create or replace function claim_trial_case(most integer, held_for interval, by_batch boolean) returns setof trial_cases
language plpgsql as $$
declare
  taken trial_cases;
  trial bigint;
  batched boolean;
begin
  perform pg_advisory_xact_lock('trial_cases'::regclass::oid::int, 0);
  if most <= (select count(*) from trial_cases
              where state = 'running' and batch_id is null and leased_until > clock_timestamp()) then
    return;
  end if;
  select one.id, waits into trial, batched
  from trials as one cross join lateral (select by_batch and waits_for_batch(one) as waits) as batch
  where one.state in ('running', 'stopped') and exists (
    select from trial_cases where trial_id = one.id and state in ('waiting', 'running') and batch_id is null
      and coalesce(leased_until, '-infinity') <= clock_timestamp() and (tries > 0 or not waits))
  order by (select count(*) from trial_cases
            where trial_id = one.id and state = 'running' and batch_id is null and leased_until > clock_timestamp()), one.id
  limit 1;
  if trial is null then
    -- Its last case went with its topic.
    update trials as one set state = 'finished', ended_at = service_clock()
    where one.state = 'running' and not exists (
      select from trial_cases where trial_id = one.id and state in ('waiting', 'running'));
    return;
  end if;
  perform from trials where id = trial for no key update;
  select * into taken from trial_cases
  where trial_id = trial and state in ('waiting', 'running') and batch_id is null
    and coalesce(leased_until, '-infinity') <= clock_timestamp() and (tries > 0 or not batched)
  order by id limit 1 for no key update;
  if not found then return; end if;
  -- Its maker died: what its call used nobody told.
  perform expire_calls(array[taken.call_id]);
  update trials set reserved_micros = reserved_micros - taken.reserved_micros, lost_micros = lost_micros + taken.reserved_micros
  where id = trial;
  return query update trial_cases as one
    set state = 'running', tries = tries + 1, token = gen_random_uuid(), call_id = null, reserved_micros = 0,
        leased_until = clock_timestamp() + held_for
    where one.id = taken.id returning one.*;
end $$;
--> statement-breakpoint
-- Closes turns with an answer that has ended, those of a class that waited for it together. Whoever asks again, also
-- because nobody knows whether the first time came through, gets what is stored. No row: a turn is not the asker's any
-- more, or the answer is gone.
create or replace function close_turns(
  the_generation bigint, the_sessions bigint[], the_tokens uuid[], the_questions bigint[]
) returns table (
  question bigint, id bigint, created_at timestamptz, content text, meta jsonb, has_key boolean, carried jsonb
) language plpgsql as $$
#variable_conflict use_column
declare
  made generations;
  standing bigint;
  waits boolean;
  told chat_messages;
begin
  perform from cache_nodes where id = (select node_id from generations where id = the_generation) for share;
  perform from chat_sessions where id = any (the_sessions) order by id for update;
  select * into made from generations as g where g.id = the_generation and g.state = 'complete';
  if found then
    -- What waits for staff to approve it is an answer of their own to those who heard it in the making.
    select n.id, does_node_wait(n.id) into standing, waits
    from cache_nodes as n where n.id = made.node_id and n.chunks = made.chunks;
    if waits then standing := null; end if;
    told := tell_turns(
      made, standing, made.question_id is null and waits is not true, the_sessions, the_tokens, the_questions);
  end if;
  return query
    select m.in_reply_to_id, m.id, m.created_at, m.content, m.meta,
           m.question_key is not null
           or exists (select from cache_nodes as n where n.id = m.cache_node_id and n.question_key is not null),
           case when m.meta ? 'move' then m.question end
    from chat_messages as m where m.in_reply_to_id = any (the_questions) order by m.session_id;
end;
$$;
--> statement-breakpoint
-- Copies a run of a course, with who teaches it, and unless it is to be a further run of the same course, the course
-- with it. The run's own dates of modules and items are moved as the course's are, and a further run of the same course
-- says all of them itself (dates.sql). `wanted` may have a `code`, a `title`, `is_published` and
-- `same_course`, and of the run `term_id` and `term_name`.
create or replace function copy_offering(source integer, wanted jsonb) returns course_offerings
language plpgsql set lock_timeout = '25s' as $$
declare
  original course_offerings;
  copied course_offerings;
  zone text;
  days integer;
  target integer;
begin
  select run.* into original from course_offerings as run where run.id = source;
  select time_zone into zone from universities where id = original.university_id;
  days := days_to_move(coalesce(
    original.starts_at, original.ends_at, original.enrollment_start, original.enrollment_end,
    first_date_of_course(original.course_id)), wanted, zone);
  target := original.course_id;
  if not coalesce((wanted ->> 'same_course')::boolean, false) then
    target := (select (made.course).id from copy_course(original.course_id, wanted, days) as made);
  end if;
  -- Another term has its own name.
  insert into course_offerings overriding system value
  select made.*
  from jsonb_populate_record(original, jsonb_build_object(
    'id', nextval(pg_get_serial_sequence('course_offerings', 'id')), 'course_id', target,
    'starts_at', days_later(original.starts_at, days, zone), 'ends_at', days_later(original.ends_at, days, zone),
    'enrollment_start', days_later(original.enrollment_start, days, zone),
    'enrollment_end', days_later(original.enrollment_end, days, zone),
    'term_id', coalesce(wanted -> 'term_id', to_jsonb(original.term_id)),
    'term_name', case when wanted ? 'term_name' then wanted -> 'term_name'
                      when wanted ? 'term_id' then null else to_jsonb(original.term_name) end,
    'created_at', service_now(), 'updated_at', service_now())) as made
  returning * into copied;
  insert into course_offering_instructors (course_offering_id, user_id)
  select copied.id, user_id from course_offering_instructors where course_offering_id = source order by id;
  perform copy_offering_settings(original, copied);
  perform copy_offering_dates(original, copied, days, zone);
  return copied;
end $$;
--> statement-breakpoint
-- Gives a copy of an offering its dates, that many days later. A further run of the same course says its own from then on,
-- where any day is another; a copy of the course has been moved with its dates, and says what the original said. Modules
-- and items are copied in the order of their ids: so each finds its copy.
create or replace function copy_offering_dates(
  source course_offerings, target course_offerings, days integer, zone text
) returns void language sql as $$
  with stated as (
    select one.*, row_number() over (partition by content_item_id is null order by content_item_id, module_id) as place
    from stated_dates(source.id) as one
  ), copied as (
    select content_item_id is null as is_module, coalesce(content_item_id, module_id) as id,
           row_number() over (partition by content_item_id is null order by content_item_id, module_id) as place
    from stated_dates(target.id)
  ), said as (
    select copied.*,
           coalesce(opens_at, case when moves then course_opens_at end) as opens_at,
           coalesce(due_at, case when moves then course_due_at end) as due_at
    from stated join copied on copied.place = stated.place and copied.is_module = (stated.content_item_id is null),
         (select target.course_id = source.course_id and days <> 0) as further (moves)
  )
  insert into offering_dates (course_id, course_offering_id, content_item_id, module_id, available_from, due_at)
  select target.course_id, target.id, case when not is_module then id end, case when is_module then id end,
         said_later(opens_at, days, zone), said_later(due_at, days, zone)
  from said where num_nonnulls(opens_at, due_at) > 0 order by is_module, id
$$;
--> statement-breakpoint
-- Deletes what is a person's own but their conversations, and empties what stays for its figures.
create or replace function delete_belongings(person integer) returns void language plpgsql as $$
begin
  perform erase_files(person, service_now());
  delete from lab_submissions where user_id = person and status <> 'graded';
  delete from certificates where user_id = person;
  update course_reviews set review_text = null where user_id = person and review_text is not null;
  update llm_calls set user_id = null where user_id = person;
  -- With their roles.
  delete from university_members where user_id = person;
  delete from course_offering_instructors where user_id = person;
  delete from offering_staff where user_id = person;
  delete from lti_people where user_id = person;
  delete from lti_score_marks where user_id = person;
  update lti_rosters set asked_by_user_id = null where asked_by_user_id = person;
  delete from lti_launch_codes where user_id = person;
  update lti_contexts set bound_by_user_id = null where bound_by_user_id = person;
  delete from course_exemptions where user_id = person;
  delete from quiz_overrides where user_id = person;
  delete from offering_group_members where user_id = person;
  delete from invitations where accepted_by_user_id = person;
  delete from import_rows where user_id = person;
  delete from sourced_people where user_id = person;
  delete from scim_users where user_id = person;
  delete from user_identities where user_id = person;
  delete from user_profiles where user_id = person;
  delete from user_subject_preferences where user_id = person;
  delete from one_time_tokens where user_id = person;
  delete from mail_outbox where user_id = person;
  delete from calendar_addresses where user_id = person;
  delete from notifications where user_id = person;
  delete from notification_preferences where user_id = person;
  delete from announcement_reads where user_id = person;
  delete from trial_votes where user_id = person;
  delete from discussion_reports where user_id = person;
  delete from feature_requests where user_id = person;
  delete from notes where user_id = person;
  delete from flashcards where user_id = person;
  delete from flashcard_decks where user_id = person;
end $$;
--> statement-breakpoint
-- Deletes a group with what is said for it; null where there is none.
create or replace function delete_group(the_group integer, actor integer, moment timestamptz, request jsonb)
returns integer language plpgsql as $$
declare
  here offering_groups := lock_group(the_group);
begin
  delete from offering_groups where id = here.id;
  if not found then return null; end if;
  perform audit('group.deleted', actor, null, (select university_id from course_offerings where id = here.course_offering_id),
    jsonb_build_object('group_id', here.id), request);
  perform take_later_dates(here.course_offering_id, null, null, moment);
  return here.id;
end $$;
--> statement-breakpoint
-- Takes a group away, with what it gave; as `delete_scim_user`.
create or replace function delete_scim_group(
  university integer, the_group integer, expected integer[], actor integer, request jsonb
) returns text language plpgsql as $$
declare
  former scim_groups;
  left_over integer[];
begin
  select * into former from scim_groups where id = the_group and university_id = university for update;
  if former.id is null then return 'missing'; end if;
  if not former.version = any (coalesce(expected, array[former.version])) then return 'stale'; end if;
  left_over := array(select scim_user_id from scim_group_members where group_id = the_group order by 1);
  delete from scim_groups where id = the_group;
  if former.role is not null then perform settle_scim_members(former, left_over, actor, request); end if;
  return 'deleted';
end $$;
--> statement-breakpoint
-- Takes a record away, and what it gave: the roles, the names, the offer. Whoever is suspended stays so. False without one;
-- `stale` where it has none of the expected versions.
create or replace function delete_scim_user(
  university integer, the_record integer, expected integer[], actor integer, request jsonb
) returns text language plpgsql as $$
declare
  former scim_users;
  roles_taken integer;
begin
  perform from scim_groups where id in (select group_id from scim_group_members where scim_user_id = the_record)
  order by id for no key update;
  select * into former from scim_users where id = the_record and university_id = university for update;
  if former.id is null then return 'missing'; end if;
  if not former.version = any (coalesce(expected, array[former.version])) then return 'stale'; end if;
  update scim_groups set version = version + 1, updated_at = service_now()
  where id in (select group_id from scim_group_members where scim_user_id = the_record);
  perform revoke_scim_offer(former, request);
  with gone as (
    delete from user_university_roles as held
    where held.user_id = former.user_id and held.university_id = university and held.by_directory
    returning held.role
  )
  select count(*) into roles_taken from gone cross join lateral audit(
    'role.revoked', actor, former.user_id, university, jsonb_build_object('role', gone.role, 'directory', true), request);
  update university_members set source = null
  where university_id = university and user_id = former.user_id and source = 'directory';
  delete from scim_users where id = the_record;
  perform audit('scim_user.deleted', actor, former.user_id, university, jsonb_build_object('scim_user_id', the_record),
                request);
  return 'deleted';
end $$;
--> statement-breakpoint
-- Takes from these people what a bound course of an LMS gave them.
create or replace function drop_lti_members(the_context integer, people integer[], request jsonb) returns void
language plpgsql as $$
declare
  bound lti_contexts;
begin
  select * into bound from lti_contexts where id = the_context;
  if not found then return; end if;
  perform give_lti_role(bound, person, null, 'roster', request) from unnest(people) as person;
end $$;
--> statement-breakpoint
drop function end_call(bigint,text,jsonb);
--> statement-breakpoint
-- Ends a call with what it used, as a JSON object: `input`, `output`, `cache_read`, `cache_write` in tokens, `cost`
-- in micros, and `first_word` in milliseconds. Asked again it changes nothing; one that was taken for lost, and has given back what it reserved, tells its
-- end after all. Answers whether its university's month counts it now.
create or replace function end_call(the_call bigint, how text, used jsonb) returns boolean language plpgsql as $$
begin
  with before as materialized (
    select id, case outcome when 'started' then reserved_tokens else 0 end as reserved_tokens
    from llm_calls
    where id = the_call and used is not null and (
      outcome = 'started'
      or outcome = 'lost' and input_tokens + output_tokens + cache_read_tokens + cache_write_tokens = 0
    ) for update
  ), ended as (
    update llm_calls as call
    set ended_at = service_clock(), outcome = how,
        input_tokens = coalesce((used ->> 'input')::int, 0), output_tokens = coalesce((used ->> 'output')::int, 0),
        cache_read_tokens = coalesce((used ->> 'cache_read')::int, 0),
        cache_write_tokens = coalesce((used ->> 'cache_write')::int, 0),
        cost_micros = (used ->> 'cost')::bigint, first_word_ms = (used ->> 'first_word')::int
    from before where call.id = before.id
    returning call.university_id, date_trunc('month', call.started_at at time zone 'UTC')::date as month, call.purpose,
              call.input_tokens + call.output_tokens + call.cache_read_tokens + call.cache_write_tokens
                - before.reserved_tokens as tokens
  )
  update tutor_months as used
  set tokens = used.tokens + case ended.purpose when 'trial' then 0 else ended.tokens end,
      trial_tokens = used.trial_tokens + case ended.purpose when 'trial' then ended.tokens else 0 end
  from ended where used.university_id = ended.university_id and used.month = ended.month;
  return found;
end $$;
--> statement-breakpoint
-- Notes what a reading of a roster came to, unless another was asked for meanwhile, which is due then.
create or replace function end_lti_roster(
  the_context integer, nth integer, the_state text, the_counts jsonb, why text, next_at timestamptz, differences text,
  moment timestamptz, request jsonb
) returns void language plpgsql as $$
declare
  former lti_rosters;
begin
  select * into former from lti_rosters where context_id = the_context for update;
  if not found then return; end if;
  update lti_rosters set
    lease_until = null, ended_at = moment, counts = coalesce(the_counts, counts), failure = why,
    taken_at = case when the_state = 'taken' then moment else taken_at end,
    differences_url = case when the_state = 'taken' then coalesce(differences, differences_url) else differences_url end,
    state = case when former.tries = nth then the_state else state end,
    mode = case when former.tries = nth and the_state <> 'failed' then 'nightly' else mode end,
    due_at = case when former.tries = nth then next_at else due_at end,
    tries = case when former.tries = nth and the_state <> 'failed' then 0 else tries end,
    updated_at = moment
  where context_id = the_context;
  if the_state = 'taken' and former.asked_by_user_id is not null and former.mode <> 'nightly' then
    perform audit('lti_roster.taken', former.asked_by_user_id, null, bound.university_id, jsonb_build_object(
      'course_offering_id', bound.course_offering_id, 'lti_context_id', bound.id, 'enrolled', the_counts -> 'enrolled',
      'dropped', the_counts -> 'dropped', 'confirmed', former.mode = 'confirmed'), request)
    from lti_contexts as bound where bound.id = the_context;
  end if;
end $$;
--> statement-breakpoint
-- Notes what became of scores that were leased: `[{"link_id", "person_id", "marks", "leased_at", "outcome", "score", "maximum",
-- "told_at", "failure", "due_at"}, …]`, where `leased_at` is the `told_at` of the lease. `outcome`: 'sent'; 'same', which the LMS has already; 'none', where there was
-- and is nothing to tell; 'refused'; 'later', to be tried again then; or 'kept', which was not tried. Of a lease that has
-- passed on nothing is noted, and what was marked meanwhile stays due.
create or replace function end_lti_scores(given jsonb, moment timestamptz) returns void language plpgsql as $$
begin
  delete from lti_scores as one
  using jsonb_to_recordset(given) as done (
    link_id integer, person_id integer, marks integer, leased_at timestamptz, outcome text)
  where one.link_id = done.link_id and one.person_id = done.person_id and one.told_at = done.leased_at
    and one.lease_until is not null and one.marks = done.marks and done.outcome = 'none';
  update lti_scores as one
  set lease_until = null,
      tries = case when done.outcome = 'kept' then greatest(0, one.tries - 1) else one.tries end,
      told_at = coalesce(done.told_at, one.told_at),
      sent_at = case when done.outcome = 'sent' then moment else one.sent_at end,
      sent_score = case when done.outcome = 'sent' then done.score else one.sent_score end,
      sent_maximum = case when done.outcome = 'sent' then done.maximum else one.sent_maximum end,
      is_refused = done.outcome = 'refused' and one.marks = done.marks,
      failure = case when one.marks <> done.marks or done.outcome in ('sent', 'same') then null
                     else coalesce(done.failure, one.failure) end,
      due_at = case when one.marks <> done.marks then one.due_at
                    when done.outcome = 'later' then done.due_at
                    when done.outcome = 'kept' then one.due_at end
  from jsonb_to_recordset(given) as done (
    link_id integer, person_id integer, marks integer, leased_at timestamptz, outcome text, score numeric, maximum numeric,
    told_at timestamptz, failure text, due_at timestamptz)
  where one.link_id = done.link_id and one.person_id = done.person_id and one.told_at = done.leased_at
    and one.lease_until is not null;
end $$;
--> statement-breakpoint
-- Ends a trial's batch. Its cases that have no answer wait to be asked at once. What they may have cost stays counted, since
-- nobody knows what it did cost; but nothing of a batch that the provider never had (`refused`). Once more it changes nothing.
create or replace function end_trial_batch(the_batch bigint, how text) returns void language plpgsql as $$
declare
  the_trial bigint;
  left_over bigint[];
  micros bigint;
begin
  select trial_id into the_trial from llm_batches where id = the_batch;
  perform from trials where id = the_trial for no key update;
  update llm_batches set state = how, ended_at = clock_timestamp(), token = null, leased_until = null
  where id = the_batch and state in ('gathering', 'sending', 'sent');
  if not found then return; end if;
  select array_agg(call_id), coalesce(sum(reserved_micros), 0) into left_over, micros
  from trial_cases where batch_id = the_batch and state = 'running';
  perform expire_calls(left_over);
  update trials set reserved_micros = reserved_micros - micros,
                    lost_micros = lost_micros + case how when 'refused' then 0 else micros end
  where id = the_trial;
  update trial_cases set state = 'waiting', token = null, batch_id = null, call_id = null, reserved_micros = 0,
                         leased_until = null
  where batch_id = the_batch and state = 'running';
end $$;
--> statement-breakpoint
-- Ends what someone was asking for a case, once: `told` has what is to be kept of it by the names of its columns, `used`
-- what its call used (as in `end_call`), null where there was none. As `waiting` it is asked again in so many seconds
-- (`retry_in`), or asked what comes next (`next_stage`). Once there is an answer it stands, whatever comes of judging it.
-- With its last case a running trial is finished. False: it is someone else's by now, or has ended.
create or replace function end_trial_case(the_case bigint, holder uuid, how text, told jsonb, used jsonb) returns boolean
language plpgsql as $$
declare
  held trial_cases;
  judging boolean;
begin
  perform from trials where id = (select trial_id from trial_cases where id = the_case) for no key update;
  select * into held from trial_cases where id = the_case and token = holder and state = 'running' for no key update;
  if not found then return false; end if;
  judging := held.stage <> 'answer';
  if held.call_id is not null then
    perform end_call(held.call_id, coalesce(told ->> 'outcome', 'complete'), used);
  end if;
  update trials set reserved_micros = reserved_micros - held.reserved_micros,
                    spent_micros = spent_micros + coalesce((used ->> 'cost')::bigint, 0)
  where id = held.trial_id;
  update trial_cases set
    state = case when judging and how <> 'waiting' then 'answered' else how end,
    reason = case when not judging then told ->> 'reason' end,
    unjudged_reason = coalesce(told ->> 'unjudged_reason', case when judging then told ->> 'reason' end),
    stage = coalesce(told ->> 'next_stage', stage), tries = case when told ? 'next_stage' then 0 else tries end,
    token = null, batch_id = null, call_id = case when how = 'waiting' then null else call_id end, reserved_micros = 0,
    leased_until = clock_timestamp() + make_interval(secs => (told ->> 'retry_in')::float8),
    message = coalesce(told ->> 'message', message), exchanges = coalesce(told -> 'exchanges', exchanges),
    prompt_fingerprint = coalesce(told ->> 'prompt_fingerprint', prompt_fingerprint),
    answer = coalesce(told ->> 'answer', answer),
    question = case when told ? 'answer' then nullif(told -> 'question', 'null') else question end,
    key = case when told ? 'answer' then nullif(told -> 'key', 'null') else key end,
    stop = case when told ? 'answer' then told ->> 'stop' else stop end,
    checks = coalesce(nullif(told -> 'checks', 'null'), checks),
    recorded_checks = coalesce(nullif(told -> 'recorded_checks', 'null'), recorded_checks),
    judged = coalesce(nullif(told -> 'judged', 'null'), judged), verdict = coalesce(told ->> 'verdict', verdict)
  where id = the_case;
  if used is not null and judging then
    update trial_cases set judge_micros = coalesce(judge_micros, 0) + (used ->> 'cost')::bigint where id = the_case;
  elsif used is not null then
    update trial_cases set
      input_tokens = coalesce(input_tokens, 0)
        + (used ->> 'input')::int + (used ->> 'cache_read')::int + (used ->> 'cache_write')::int,
      output_tokens = coalesce(output_tokens, 0) + (used ->> 'output')::int,
      cost_micros = coalesce(cost_micros, 0) + (used ->> 'cost')::bigint
    where id = the_case;
  end if;
  update trials set state = 'finished', ended_at = service_clock()
  where id = held.trial_id and state = 'running' and not exists (
    select from trial_cases where trial_id = held.trial_id and state in ('waiting', 'running'));
  return true;
end $$;
--> statement-breakpoint
-- Ends a batch of a warming. What it has not answered is asked for at once. Once more it changes nothing.
create or replace function end_warm_batch(the_batch bigint, how text) returns void language plpgsql as $$
begin
  update llm_batches set state = how, ended_at = clock_timestamp(), leased_until = null
  where id = the_batch and state in ('gathering', 'sending', 'sent');
  if not found then return; end if;
  perform expire_calls(array(select call_id from warming_nodes where batch_id = the_batch and call_id is not null));
  update warming_nodes set call_id = null where batch_id = the_batch and call_id is not null;
end $$;
--> statement-breakpoint
-- Gives a place, or one on the waiting list, and the student role to whoever has no role in the university.
-- A dropped enrollment is taken up again. Who has a seat elsewhere in the course and term may wait, and no more. No row:
-- the offering is gone.
--
-- With `staff` it is they who enroll the person, which the audit log is told with `request`: no key is asked for, and
-- where they override it, neither the window nor the prerequisites nor the capacity nor a seat elsewhere keep anyone
-- out; with `doubles` at least the seat elsewhere does not. For themselves they are nobody's staff: what keeps others out
-- keeps them out, and to override it is refused as 'own'.
create or replace function enroll(
  offering integer, person integer, moment timestamptz, the_key text default null, staff integer default null,
  overrides boolean default false, request jsonb default null, doubles boolean default false
) returns table (refusal text, missing text, enrollment enrollments, waits_at integer) language plpgsql as $$
declare
  run course_offerings;
  passed text;
  waits boolean;
  is_double boolean;
begin
  perform lock_course_key_shared(offering);
  select * into run from course_offerings where id = offering for no key update;
  if not found then return; end if;
  if staff = person then
    if overrides then
      refusal := 'own';
      return next;
      return;
    end if;
    staff := null;
    doubles := false;
  end if;
  select * into refusal, missing from refusal_to_enroll(run, person, moment);
  if staff is null and refusal is distinct from 'not_open' then
    refusal := coalesce(refusal_of_key(run, person, the_key, moment), refusal);
  end if;
  waits := is_full(run);
  if refusal is null and waits and is_list_closed(run, moment) then refusal := 'full'; end if;
  if overrides then
    passed := coalesce(refusal, case when waits then 'full' end);
    refusal := null;
    waits := false;
  end if;
  is_double := not waits and has_seat_elsewhere(run, person, moment);
  if is_double and (overrides or doubles) then
    passed := concat_ws(', ', passed, 'enrolled_in_course');
  elsif is_double then
    refusal := coalesce(refusal, 'enrolled_in_course');
  end if;
  if refusal is distinct from 'not_open' and exists (
    select from enrollments
    where course_offering_id = offering and user_id = person and status <> 'dropped'
  ) then
    refusal := 'already_enrolled';
  end if;
  -- Which nobody overrides.
  refusal := coalesce(refusal_of_inactive(run.university_id, person), refusal);
  if refusal is null then
    enrollment := take_seat(run, person, waits, moment);
    waits_at := position_in_line(enrollment);
    if staff is not null then
      perform audit('enrollment.created', staff, person, run.university_id, jsonb_strip_nulls(jsonb_build_object(
        'course_offering_id', offering, 'override', overrides, 'passed', passed)), request);
    end if;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Erases the account of a person whose tokens have that version; false when they have ended meanwhile. `request` is
-- that of audit.sql, `key` that of former-accounts.sql. It acts with its owner's rights as a whole, so that nobody is taken
-- out of the audit log but by the end of their account.
create or replace function erase_account(
  person integer, version integer, keep_certificates boolean, request jsonb, key bytea default null
) returns boolean language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '25s' as $$
declare
  own users;
  moment timestamptz := (request ->> 'at')::timestamptz;
  -- Whether they have done anything to others or to a university, for which someone may have to answer.
  held_office boolean;
  -- Where they wait they may be given a place just now, which is free then.
  held_offerings integer[] := array(
    select course_offering_id from enrollments where user_id = person and status in ('active', 'waitlisted') order by 1);
begin
  perform refuse_last_administrator(person);
  -- Before all that an import gives, as whoever works it has them.
  perform from imports where created_by_user_id = person order by id for no key update;
  perform from import_rows where email = (select email from users where id = person) order by id for update;
  -- Before the person, as whoever writes what a directory says of them has it.
  perform from scim_users where user_id = person order by id for update;
  -- Before the places and the person, as whoever grades or revokes them has it; and nobody does while they are counted.
  perform from quiz_attempts where user_id = person and submitted_at is null order by id for update;
  perform from lab_submissions where user_id = person order by id for update;
  perform from certificates where user_id = person order by id for update;
  perform lock_offerings(held_offerings);
  -- Nobody follows a link to them any more.
  update chat_sessions set share_enabled = false, share_token = null where user_id = person and share_token is not null;
  select * into own from users where id = person and token_version = version and is_active for update;
  if not found then return false; end if;

  if keep_certificates then perform leave_certificates(person); end if;

  perform note_identifiers(person, key);
  insert into erasures (user_id, begun_at) values (person, moment);
  delete from message_feedback where message_id in (
    select said.id from chat_sessions as talk join chat_messages as said on said.session_id = talk.id
    where talk.user_id = person);
  perform keep_statistics(person);
  perform leave_office(person);
  delete from mail_outbox where address = own.email;
  delete from invitations where email = own.email;
  delete from import_rows where email = own.email;
  delete from login_failures where account_hash = sha256_hex(own.email);
  held_office := exists (select from audit_events where actor_id = person and subject_id is distinct from person);
  if held_office then
    insert into audit_people (user_id, full_name, email, erased_at) values (person, own.full_name, own.email, moment)
    on conflict do nothing;
  end if;
  -- What they did to others stays theirs, and what others did to an office's holder.
  update audit_events set
    actor_id = nullif(actor_id, person),
    subject_id = nullif(subject_id, person),
    from_address = case when actor_id = person or (actor_id is null and subject_id = person) then null
                        else from_address end
  where (actor_id = person or subject_id = person)
    and not (held_office and actor_id is not null and subject_id is distinct from actor_id);
  -- The streak runs out by itself: until then the people who have one stay as many.
  update users set email = null, full_name = '', password_hash = null, email_verified_at = null, is_active = false,
    locale = default, time_zone = default, tutor_sees_results = default, avatar_token = null, made_by_university_id = null, token_version = token_version + 1, erased_at = moment, updated_at = moment
  where id = person;
  perform end_open_attempts(person, moment);
  perform fill_seats(offering, moment) from unnest(held_offerings) as offering;
  perform audit('account.erased', null, null, null, '{}', request - 'from');
  return true;
end $$;
--> statement-breakpoint
-- Erases some steps of those who erased their accounts, and keeps how often each choice was made; answers whether more
-- may be left. A question that nobody else was asked goes with them: it may say what they said.
create or replace function erase_steps(most integer) returns boolean language plpgsql as $$
declare
  gone tutor_steps[];
  answered bigint[];
  lonely bigint[];
begin
  with taken as (
    delete from tutor_steps where id in (
      select step.id from erasures join tutor_steps as step on step.user_id = erasures.user_id
      order by step.id limit most for update of step skip locked)
    returning tutor_steps
  )
  select array_agg(tutor_steps) into gone from taken;
  if gone is null then return false; end if;
  answered := array(select distinct question_id from unnest(gone) order by 1);
  lonely := array(
    select asked.id from tutor_questions as asked
    where asked.id = any (answered)
      and not exists (select from cache_nodes as node where node.id = asked.node_id)
      and not exists (select from tutor_step_counts as kept where kept.question_id = asked.id)
    for update skip locked);
  -- Who answered just before they were held is seen by another statement.
  lonely := array(
    select asked from unnest(lonely) as asked
    where not exists (select from tutor_steps as step where step.question_id = asked));
  delete from tutor_questions where id = any (lonely);
  insert into tutor_step_counts as kept (question_id, choice, try_number, with_hints, answers)
  select question_id, choice, try_number, hints > 0, count(*)
  from unnest(gone) where question_id <> all (lonely)
  group by question_id, choice, try_number, hints > 0
  order by question_id, choice, try_number, hints > 0
  on conflict (question_id, choice, try_number, with_hints) do update set answers = kept.answers + excluded.answers;
  return true;
end $$;
--> statement-breakpoint
-- The same of up to `most` calls that are open for longer than any answer is made: their makers were killed. Those of a batch
-- are its own to end.
create or replace function expire_forgotten_calls(most integer) returns integer language sql as $$
  select expire_calls(array(
    select id from llm_calls where outcome = 'started' and started_at < service_now() - 2 * answer_limit()
      and (not is_batch or started_at < service_now() - interval '3 days')
    order by id limit most for update skip locked))
$$;
--> statement-breakpoint
-- Whose account a platform's person is: as it was settled before, else by what it tells, else by a new account. `told` has
-- their `subject`, and perhaps `name`, `email` and `sourced_id`, as a launch or a roster says. The refusals: `sign_in`,
-- where an account may be theirs that only they can say; `inactive`. Of two who come at once as one the later finds what
-- the earlier settled.
create or replace function find_lti_person(
  the_platform integer, told jsonb, request jsonb, out known integer, out person integer, out refusal text
) language plpgsql as $$
declare
  platform lti_platforms;
  met lti_people;
  candidate record;
begin
  select * into platform from lti_platforms where id = the_platform for key share;
  insert into lti_people (platform_id, subject) values (the_platform, told ->> 'subject') on conflict do nothing;
  select * into met from lti_people where platform_id = the_platform and subject = told ->> 'subject' for update;
  known := met.id;
  person := met.user_id;
  update lti_people set (told_name, told_email, told_sourced_id) = (told ->> 'name', told ->> 'email', told ->> 'sourced_id')
  where id = known and (told_name, told_email, told_sourced_id)
    is distinct from (told ->> 'name', told ->> 'email', told ->> 'sourced_id');
  if person is null then
    select * into candidate from lti_candidate(platform, told);
    if (candidate.account).id is null then
      person := make_lti_account(platform, known, told, request);
    else
      perform from users where id = (candidate.account).id for no key update;
      if met.unlinked_at is not null or not candidate.is_vouched
          or not is_linked_silently(platform, candidate.account, sent_at(request)) then
        refusal := 'sign_in';
        return;
      end if;
      person := (candidate.account).id;
      perform link_lti_person(known, person, candidate.linking, request);
    end if;
  end if;
  if not exists (select from users where id = person and is_active) then
    refusal := 'inactive';
    person := null;
  end if;
end $$;
--> statement-breakpoint
-- Finds whom a record is about, makes an account for an address that none has, or offers its owner to be one of the
-- university's own, unless they have declined that. Answers the record. Whoever calls it holds the record.
create or replace function find_scim_person(the_record integer, actor integer, request jsonb) returns scim_users
language plpgsql as $$
declare
  record scim_users;
  person integer;
begin
  select * into record from scim_users where id = the_record;
  if record.user_id is not null then return record; end if;
  person := person_of_scim_user(record);
  if person is null and record.is_active and record.email is not null then
    insert into users (email, full_name, made_by_university_id)
    values (record.email, record.full_name, record.university_id)
    on conflict (email) do nothing returning id into person;
    -- Somebody else may have made it meanwhile.
    person := coalesce(person, person_of_scim_user(record));
  end if;
  if person is not null then
    perform link_scim_user(the_record, person);
  elsif not record.is_active then
    perform revoke_scim_offer(record, request);
  elsif record.email is not null and not exists (
    select from invitations
    where university_id = record.university_id and email = record.email and role = 'student' and department_id is null
      and course_offering_id is null
      and (declined_at is not null or source = 'directory' and accepted_at is null and revoked_at is null)
  ) then
    perform invite(record.university_id, record.email, 'student', null, null, false, actor, request, false, 'directory',
                   record.external_id);
  end if;
  select * into record from scim_users where id = the_record;
  return record;
end $$;
--> statement-breakpoint
-- Ends an answer whole, or as far as it came where `the_stop` says why. An answer for a class that came to its end
-- becomes a node: the first write wins, and is then the answer. A private answer is stored with its question.
-- Asked again with the same token it answers the same. No row: the lease is lost, and nothing was written but the end
-- of the call, whose cost is `used`; of an answer of several calls `answer_input` and `answer_output` in it are all of them.
create or replace function finish_generation(
  the_generation bigint, maker uuid, the_chunks jsonb, the_question jsonb, the_choices jsonb, the_stop text,
  the_call bigint, used jsonb, the_key jsonb default null
) returns table (
  chunks jsonb, answer_id bigint, answered_at timestamptz, meta jsonb, has_key boolean, carried jsonb
) language plpgsql as $$
#variable_conflict use_column
declare
  made generations;
  tokens_in integer := nullif(coalesce(
    (used ->> 'answer_input')::int,
    coalesce((used ->> 'input')::int, 0) + coalesce((used ->> 'cache_read')::int, 0)
    + coalesce((used ->> 'cache_write')::int, 0)), 0);
  tokens_out integer := nullif(coalesce((used ->> 'answer_output')::int, (used ->> 'output')::int), 0);
  pin answer_pins;
  session record;
  told chat_messages;
  is_counted boolean;
begin
  select s.id, s.answering_token, s.answering_message_id into session
  from generations as g join chat_sessions as s on s.id = g.session_id where g.id = the_generation for update of s;
  -- An answer for a class, which has no session, and may have a node before it.
  if not found then
    perform from cache_nodes where id = (select parent_id from generations where id = the_generation) for key share;
  end if;
  select * into made from generations where id = the_generation and token = maker and state <> 'failed' for update;
  if not found then
    perform end_call(the_call, 'lost', used);
    return;
  end if;

  if made.state = 'writing' then
    made.chunks := the_chunks;
    made.question := the_question;
    made.question_key := the_key;
    if made.move is not null then
      select asked.question, asked.question_key into made.question, made.question_key from carried_question(made) as asked;
    end if;
    if made.question_id is null and the_stop is null then
      -- What staff pinned there while it was made is the answer.
      perform lock_pins_shared(made.content_item_id);
      select * into pin from pin_below(made.content_item_id, made.parent_id, made.message);
      insert into cache_nodes as node (
        content_item_id, parent_id, message, message_hash, prompt_name, prompt_version, model, prompt_fingerprint,
        content_fingerprint, chunks, question, choices, question_key, input_tokens, output_tokens, edited_by, edited_at,
        is_waiting, warmed)
      values (
        made.content_item_id, made.parent_id, made.message, made.message_hash, made.prompt_name, made.prompt_version,
        made.model, made.prompt_fingerprint, made.content_fingerprint,
        case when pin.id is null then the_chunks else jsonb_build_array(pin.answer) end,
        case when pin.id is null then the_question else pin.question end,
        case when pin.id is null then the_choices else pin.choices end,
        case when pin.id is null then the_key else pin.question_key end,
        tokens_in, tokens_out, pin.pinned_by, pin.pinned_at,
        pin.id is null and is_tutor_reviewed(made.content_item_id),
        exists (select from llm_calls where id = the_call and purpose = 'warm'))
      on conflict (content_item_id, coalesce(parent_id, 0), message_hash, prompt_name, prompt_version, model,
                   prompt_fingerprint, content_fingerprint)
      do update set last_used_at = node.last_used_at
      returning node.id, node.chunks, node.question into made.node_id, made.chunks, made.question;
    end if;
    with dropped as (delete from generation_pieces where generation_id = the_generation)
    update generations as ended set
      state = 'complete', chunks = made.chunks, question = made.question, question_key = made.question_key,
      choices = case when made.question_key is not null then the_choices end,
      stop = the_stop, node_id = made.node_id,
      input_tokens = tokens_in, output_tokens = tokens_out
    where id = the_generation
    returning ended.* into made;
    if session.answering_message_id = made.question_id then
      told := tell_turns(
        made, null, false, array[session.id], array[session.answering_token], array[made.question_id]);
    end if;
    -- As many as end, in fewer statements.
    if the_generation % 10 = 0 then perform drop_ended_generations(20); end if;
  end if;

  chunks := made.chunks;
  if told.id is not null then
    answer_id := told.id;
    answered_at := told.created_at;
    meta := told.meta;
    has_key := told.question_key is not null;
    if meta ? 'move' then carried := told.question; end if;
  elsif made.question_id is not null then
    select closed.id, closed.created_at, closed.meta, closed.has_key, closed.carried
    into answer_id, answered_at, meta, has_key, carried
    from chat_sessions as s
    cross join lateral close_turns(
      made.id, array[s.id], array[s.answering_token], array[made.question_id]) as closed
    where s.id = made.session_id and s.answering_message_id = made.question_id;
  end if;
  is_counted := end_call(
    the_call, case the_stop when 'malformed' then 'complete' else coalesce(the_stop, 'complete') end, used);
  return next;
end;
$$;
--> statement-breakpoint
-- The place of the first line, from 0, that is of nothing in a course; null where there is none.
create or replace function first_line_elsewhere(lines jsonb, the_course integer) returns integer language sql stable as $$
  select line.number - 1
  from jsonb_array_elements(lines) with ordinality as line (said, number)
  where not exists (
    select from content_items where id = (said ->> 'content_item_id')::integer and course_id = the_course
    union all
    select from modules where id = (said ->> 'module_id')::integer and course_id = the_course
  ) order by line.number limit 1
$$;
--> statement-breakpoint
-- Keeps the scores of an item in step with it, within the statement that changes it: with its type, which stays once it
-- has results, and with its points, in all offerings of its course. Where scores stand, `rescales` says whether they are
-- scaled to the new points or stay as they are; attempts at a quiz are parts of a whole, and scale in either case. Each
-- change is noted; final grades stay. Raises for another type, without `rescales`, and for a score that would be over the
-- most points of the item.
create or replace function fit_scores_to_item(
  the_item content_items, former_type integer, former jsonb, rescales boolean, changer integer, moment timestamptz,
  request jsonb
) returns void language plpgsql as $$
declare
  was numeric := former -> 'points';
  points numeric;
  most numeric;
  work lab_submissions;
  regraded lab_submissions;
  own item_grades;
  reset item_grades;
  quizzed record;
begin
  select points_of_item(type.name, the_item.data_json), most_points_of_item(type.name, the_item.data_json)
  into points, most from content_types as type where type.id = the_item.content_type_id;
  if the_item.content_type_id = former_type and points = was and most >= (former -> 'most')::numeric then return; end if;
  if the_item.content_type_id <> former_type then
    perform lock_item_type(the_item.id);
  end if;
  perform lock_grades(run.id)
  from (select id from course_offerings where course_id = the_item.course_id order by id) as run;
  if the_item.content_type_id <> former_type then
    if exists (select from quiz_attempts where content_item_id = the_item.id)
       or exists (select from lab_submissions where content_item_id = the_item.id)
       or exists (select from item_grades where content_item_id = the_item.id) then
      raise exception 'content item % has results', the_item.id
        using errcode = 'check_violation', table = 'content_items', constraint = 'content_items_keep_type';
    end if;
    return;
  end if;
  if points <> was then
    perform mark_lti_score(run.id, null, the_item.id) from course_offerings as run where run.course_id = the_item.course_id;
    if rescales is null and (
      exists (select from quiz_attempts where content_item_id = the_item.id and score_obtained is not null)
      or exists (select from lab_submissions where content_item_id = the_item.id and score_obtained is not null)
      or exists (select from item_grades where content_item_id = the_item.id and score_override is not null)
    ) then
      raise exception 'content item % has scores', the_item.id
        using errcode = 'check_violation', table = 'content_items', constraint = 'content_items_say_rescale';
    end if;
    for work in
      select * from lab_submissions
      where content_item_id = the_item.id and score_obtained is not null and max_score > 0 order by id for update
    loop
      update lab_submissions
      set score_obtained = round(work.score_obtained / work.max_score * case when rescales then points else was end, 2),
          max_score = points
      where id = work.id returning * into regraded;
      perform note_grade_of_submission('points_changed', work, regraded, null, changer, moment, request);
    end loop;
    perform from quiz_attempts where content_item_id = the_item.id and score_obtained is not null order by id for update;
    update quiz_attempts set grade_version = grade_version + 1
    where content_item_id = the_item.id and score_obtained is not null;
    for quizzed in
      select course_offering_id, user_id, max(score_obtained / nullif(max_score, 0)) as ratio
      from quiz_attempts where content_item_id = the_item.id and score_obtained is not null
      group by 1, 2 order by 1, 2
    loop
      perform note_grade_change('points_changed', quizzed.course_offering_id, quizzed.user_id, the_item.id,
        jsonb_build_object('score', round(quizzed.ratio * was, 2), 'max_score', was),
        jsonb_build_object('score', round(quizzed.ratio * points, 2), 'max_score', points), null, changer, moment, request);
    end loop;
  end if;
  if rescales and points <> was and was > 0 then
    -- All of them before the first enrollment is completed: see completion.sql.
    perform pg_advisory_xact_lock(one.course_offering_id, one.user_id)
    from (
      select course_offering_id, user_id from item_grades
      where content_item_id = the_item.id and score_override is not null order by 1, 2
    ) as one;
    for own in
      select * from item_grades where content_item_id = the_item.id and score_override is not null
      order by course_offering_id, user_id for update
    loop
      update item_grades set score_override = round(own.score_override / was * points, 2), version = own.version + 1
      where id = own.id returning * into reset;
      perform note_grade_change('points_changed', own.course_offering_id, own.user_id, the_item.id, grade_of_item(own),
        grade_of_item(reset), null, changer, moment, request);
    end loop;
  end if;
  if exists (select from lab_submissions where content_item_id = the_item.id and score_obtained > most)
     or exists (select from item_grades where content_item_id = the_item.id and score_override > most) then
    raise exception 'content item % has scores over %', the_item.id, most
      using errcode = 'check_violation', table = 'content_items', constraint = 'content_items_hold_scores';
  end if;
end $$;
--> statement-breakpoint
-- Makes rows of marks: of so many of one person each, or where there are none of one of everyone's, for so many people.
-- Whether there are more.
create or replace function fold_lti_score_marks(most integer, moment timestamptz) returns boolean language plpgsql as $$
declare
  mark lti_score_marks;
  people integer[];
  folded integer := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('marks of scores for LMSs', 0)) then return false; end if;
  for mark in
    with folded as (
      delete from lti_score_marks
      where id in (select id from lti_score_marks where user_id is not null order by id limit most)
      returning *
    )
    select distinct on (course_offering_id, user_id, content_item_id) * from folded
    order by course_offering_id, user_id, content_item_id, is_forced desc
  loop
    perform want_lti_scores(mark.course_offering_id, mark.content_item_id, array(
      select person.id from lti_people as person where person.user_id = mark.user_id), mark.is_forced, moment);
    folded := folded + 1;
  end loop;
  if folded > 0 then return true; end if;

  select * into mark from lti_score_marks where user_id is null order by id limit 1;
  if not found then return false; end if;
  perform lock_grades(mark.course_offering_id);
  people := array(
    select distinct person.id
    from lti_contexts as context
    join lti_people as person on person.platform_id = context.platform_id and person.id > mark.after_person_id
    join enrollments as seat on seat.course_offering_id = context.course_offering_id and seat.user_id = person.user_id
      and seat.is_admitted
    where context.course_offering_id = mark.course_offering_id
    order by person.id limit most);
  perform want_lti_scores(mark.course_offering_id, mark.content_item_id, people, mark.is_forced, moment);
  if cardinality(people) < most then
    delete from lti_score_marks where id = mark.id;
  else
    update lti_score_marks set after_person_id = people[most] where id = mark.id;
  end if;
  return true;
end $$;
--> statement-breakpoint
-- Whoever is linked has their grades sent, and of whom they were nothing is sent any more.
create or replace function follow_lti_person() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then delete from lti_scores where person_id = new.id; end if;
  insert into lti_score_marks (course_offering_id, user_id)
  select distinct context.course_offering_id, new.user_id
  from lti_contexts as context
  join enrollments as seat on seat.course_offering_id = context.course_offering_id and seat.user_id = new.user_id
  where context.platform_id = new.platform_id and has_lti_columns(context.course_offering_id);
  return null;
end $$;
--> statement-breakpoint
-- Gives a person in a bound course what an LMS says that they are there, `student`, `ta` or `instructor`, and takes what it
-- gave and says no longer; null is nothing. Nothing else is taken: not what staff or offices gave, or people themselves.
-- Neither the window nor the prerequisites nor the capacity keep anyone out, which the audit log is told. The refusals:
-- `dropped` by staff, whom it enrolls no more; `inactive_person`, `inactive_university`.
create or replace function give_lti_role(
  bound lti_contexts, person integer, wanted text, the_source text, request jsonb
) returns text language plpgsql as $$
declare
  run course_offerings;
  mine enrollments;
  passed text;
  refusal text;
  moment timestamptz := sent_at(request);
begin
  perform lock_course_key_shared(bound.course_offering_id);
  select * into run from course_offerings where id = bound.course_offering_id for no key update;
  if wanted is distinct from 'student' then perform take_lti_seat(bound, person, request); end if;
  if coalesce(wanted, 'student') = 'student' then
    delete from offering_staff
    where course_offering_id = run.id and user_id = person and lti_context_id = bound.id;
    if found then
      perform audit('offering_staff.removed', null, person, run.university_id,
        jsonb_build_object('course_offering_id', run.id, 'lti_context_id', bound.id), request);
    end if;
  end if;
  if wanted is null then return null; end if;
  refusal := refusal_of_inactive(run.university_id, person);
  if refusal is not null then return refusal; end if;
  if wanted in ('ta', 'instructor') then
    insert into offering_staff as staff (course_offering_id, university_id, user_id, role, source, lti_context_id)
    values (run.id, run.university_id, person, wanted, the_source, bound.id)
    on conflict (course_offering_id, user_id) do update
      set (role, source, lti_context_id) = (excluded.role, excluded.source, excluded.lti_context_id)
      where (staff.role, staff.lti_context_id) is distinct from (excluded.role, excluded.lti_context_id);
    if found then
      perform audit('offering_staff.named', null, person, run.university_id, jsonb_build_object(
        'course_offering_id', run.id, 'role', wanted, 'lti_context_id', bound.id), request);
    end if;
  elsif wanted = 'student' then
    select * into mine from enrollments where course_offering_id = run.id and user_id = person;
    if mine.status = 'dropped' and mine.is_dropped_by_staff then return 'dropped'; end if;
    if mine.id is null or mine.status not in ('active', 'completed') then
      passed := concat_ws(', ', (refusal_to_enroll(run, person, moment)).refusal, case when is_full(run) then 'full' end,
        case when has_seat_elsewhere(run, person, moment) then 'enrolled_in_course' end);
      mine := take_seat(run, person, false, moment);
      insert into lti_enrollments (enrollment_id, context_id, source) values (mine.id, bound.id, the_source)
      on conflict do nothing;
      perform audit('enrollment.created', null, person, run.university_id, jsonb_strip_nulls(jsonb_build_object(
        'course_offering_id', run.id, 'override', true, 'passed', nullif(passed, ''), 'lti_context_id', bound.id)),
        request);
    elsif exists (select from lti_enrollments where enrollment_id = mine.id) then
      -- Another course of an LMS gave it: now both have to take it.
      insert into lti_enrollments (enrollment_id, context_id, source) values (mine.id, bound.id, the_source)
      on conflict do nothing;
    end if;
  end if;
  return null;
end $$;
--> statement-breakpoint
-- Gives up what has waited for seven days, so many rows: staff see why, and may have it sent again. How many it were.
create or replace function give_up_lti_scores(most integer, moment timestamptz) returns integer language sql as $$
  with late as (
    select one.link_id, one.person_id, pause.failure
    from lti_scores as one
    join lti_people as person on person.id = one.person_id
    left join lti_service_pauses as pause on pause.platform_id = person.platform_id
    where one.due_at is not null and one.waits_since < moment - interval '7 days'
      and (one.lease_until is null or one.lease_until <= moment)
    order by one.due_at limit most for update of one skip locked
  ), ended as (
    update lti_scores as one
    set due_at = null, is_refused = true, failure = coalesce(one.failure, late.failure, 'it waited for seven days')
    from late where one.link_id = late.link_id and one.person_id = late.person_id returning 1
  )
  select count(*)::int from ended
$$;
--> statement-breakpoint
-- Whom a bound course of an LMS has given a seat or made staff, by the subjects that its platform knows them by.
create or replace function given_by_lti(the_context integer)
returns table (person integer, subjects text[]) language sql stable as $$
  select given.user_id, coalesce(array_agg(known.subject::text) filter (where known.subject is not null), '{}')
  from (
    select mine.user_id from lti_enrollments as one join enrollments as mine on mine.id = one.enrollment_id
    where one.context_id = the_context and mine.status in ('active', 'pending', 'waitlisted')
    union
    select staff.user_id from offering_staff as staff where staff.lti_context_id = the_context
  ) as given
  join lti_contexts as bound on bound.id = the_context
  left join lti_people as known on known.platform_id = bound.platform_id and known.user_id = given.user_id
  group by given.user_id
$$;
--> statement-breakpoint
-- The columns of an offering's gradebook, in the order of the course: its published items that take a result. Each is due
-- as it is for nobody in particular. `weight`
-- is that of the item's group, 1 for all where there are no groups, and null for an item that is in none of them. What
-- grade_cells asks of the planner is not for these: of an item it would read the modules of all courses.
create or replace function graded_items(offering integer)
returns table (
  item_id integer, title text, content_type text, max_points numeric, due_at timestamptz, group_name text,
  weight numeric, released boolean, place integer, most_points numeric
) language sql stable set enable_nestloop = on as $$
  with recursive counted as materialized (
    select counting.item_id, counting.module_id
    from course_offerings as run cross join lateral counting_items(run.course_id) as counting
    where run.id = offering and counting.by_result
  ), way (module_id, parent_module_id, place) as (
    select m.id, m.parent_module_id, array[m.sequence_index]
    from modules as m where m.id in (select counted.module_id from counted)
    union all
    select way.module_id, above.parent_module_id, above.sequence_index || way.place
    from way join modules as above on above.id = way.parent_module_id
  ), scheme as (
    select groups from grading_schemes where course_offering_id = offering
  ), grouped as (
    select one ->> 'name' as name, (one ->> 'weight')::numeric as weight, item.id::int
    from scheme, jsonb_array_elements(scheme.groups) as one, jsonb_array_elements_text(one -> 'content_item_ids') as item (id)
  )
  select item.id, item.title, type.name, points_of_item(type.name, item.data_json),
         (select due_at from item_dates(offering, null, array[item.id])), grouped.name,
         case when coalesce((select jsonb_array_length(groups) from scheme), 0) = 0 then 1 else grouped.weight end,
         is_grade_released(offering, item.id),
         (row_number() over (order by way.place || item.sequence_index, item.id))::int,
         most_points_of_item(type.name, item.data_json)
  from counted
  join way on way.module_id = counted.module_id and way.parent_module_id is null
  join content_items as item on item.id = counted.item_id
  join content_types as type on type.id = item.content_type_id
  left join grouped on grouped.id = item.id
$$;
--> statement-breakpoint
-- Gives a person more time: `{"time_factor", "extra_days", "valid_until"}`. What is under way, and what was handed in, takes
-- the later dates. No row: they are none of the university's people.
create or replace function grant_accommodation(
  university integer, person integer, granted jsonb, actor integer, moment timestamptz, request jsonb
) returns setof accommodations language plpgsql as $$
begin
  perform lock_grades(held.course_offering_id) from (
    select course_offering_id from enrollments where user_id = person and university_id = university order by 1 offset 0
  ) as held;
  return query
    insert into accommodations as one (university_id, user_id, time_factor, extra_days, valid_until, updated_at)
    select member.university_id, member.user_id, wanted.time_factor, wanted.extra_days, wanted.valid_until, moment
    from university_members as member,
         jsonb_to_record(granted) as wanted (time_factor numeric, extra_days integer, valid_until date)
    where member.university_id = university and member.user_id = person
    on conflict on constraint accommodations_unique do update
      set time_factor = excluded.time_factor, extra_days = excluded.extra_days, valid_until = excluded.valid_until,
          updated_at = excluded.updated_at
    returning one.*;
  if not found then return; end if;
  perform audit('accommodation.granted', actor, person, university, granted, request);
  perform take_later_dates(course_offering_id, null, person, moment) from (
    select course_offering_id from enrollments where user_id = person and university_id = university order by 1 offset 0
  ) as held;
end $$;
--> statement-breakpoint
-- Grants a person other rules in a quiz; an attempt that is open gets its deadline by them. `granted` has the keys
-- time_limit_seconds, max_attempts and due_at, null for what the quiz says; one that is absent stays as it was. No row:
-- they are not enrolled there.
create or replace function grant_quiz_override(
  person integer, the_offering integer, the_item integer, granted jsonb, moment timestamptz
) returns setof quiz_overrides language plpgsql as $$
begin
  perform lock_grades(the_offering);
  return query
    insert into quiz_overrides as one
      (user_id, course_offering_id, content_item_id, time_limit_seconds, max_attempts, due_at, created_at, updated_at)
    select person, the_offering, the_item, wanted.time_limit_seconds, wanted.max_attempts, wanted.due_at, moment, moment
    from jsonb_to_record(granted) as wanted (time_limit_seconds integer, max_attempts integer, due_at timestamptz)
    where exists (select from enrollments where user_id = person and course_offering_id = the_offering)
    on conflict (course_offering_id, content_item_id, user_id) do update
      set time_limit_seconds =
            case when granted ? 'time_limit_seconds' then excluded.time_limit_seconds else one.time_limit_seconds end,
          max_attempts = case when granted ? 'max_attempts' then excluded.max_attempts else one.max_attempts end,
          due_at = case when granted ? 'due_at' then excluded.due_at else one.due_at end,
          updated_at = moment
    returning one.*;
  update quiz_attempts as mine set due_at = quiz_deadline(the_item, the_offering, person, mine.started_at, moment)
  where mine.user_id = person and mine.course_offering_id = the_offering and mine.content_item_id = the_item
    and mine.submitted_at is null and not is_over(mine, moment);
  perform take_later_dates(the_offering, array[the_item], person, moment);
end $$;
--> statement-breakpoint
-- How many members of a group have a place in its offering; `but` is left out.
create or replace function group_members_count(the_group integer, but integer default null) returns integer
language sql stable as $$
  select count(*)::integer
  from offering_group_members as one
  join enrollments as taking on taking.course_offering_id = one.course_offering_id and taking.user_id = one.user_id
  where one.group_id = the_group and one.group_role = 'member' and taking.is_admitted and one.user_id is distinct from but
$$;
--> statement-breakpoint
-- The groups of which a person is a member in an offering; these, where they are named.
create or replace function groups_of(offering integer, person integer, the_groups integer[] default null)
returns setof integer language sql stable as $$
  select unnest(the_groups)
  union all
  select mine.group_id from offering_group_members as mine
  where the_groups is null and mine.course_offering_id = offering and mine.user_id = person and mine.group_role = 'member'
$$;
--> statement-breakpoint
-- Whether an offering has a link with a column in an LMS.
create or replace function has_lti_columns(offering integer) returns boolean language sql stable as $$
  select exists (
    select from lti_contexts as context join lti_links as link on link.context_id = context.id
    where context.course_offering_id = offering and link.line_item_url is not null)
$$;
--> statement-breakpoint
-- Whether a launch has nothing to give or take: most are by people who have been here before.
create or replace function has_lti_role(bound lti_contexts, person integer, wanted text) returns boolean
language sql stable as $$
  select refusal_of_inactive(bound.university_id, person) is null and case wanted
    when 'student' then exists (
        select from enrollments
        where course_offering_id = bound.course_offering_id and user_id = person and status in ('active', 'completed'))
      and not exists (
        select from offering_staff
        where course_offering_id = bound.course_offering_id and user_id = person and lti_context_id = bound.id)
    else exists (
        select from offering_staff
        where course_offering_id = bound.course_offering_id and user_id = person and lti_context_id = bound.id
          and role = wanted)
      and not exists (
        select from enrollments as mine join lti_enrollments as one on one.enrollment_id = mine.id
        where mine.course_offering_id = bound.course_offering_id and mine.user_id = person and one.context_id = bound.id)
    end
$$;
--> statement-breakpoint
-- Whether a person has an office's right in a university.
create or replace function has_office(person integer, university integer, wanted text) returns boolean
language sql stable as $$
  select exists (
    select from university_offices
    where user_id = person and university_id = university and office_right = wanted) and not is_suspended(university, person)
$$;
--> statement-breakpoint
-- The row of a question that is answered and its hash, made where there is none; a node's has the key that it had first, or
-- was corrected to.
create or replace function hold_question(
  the_item integer, the_node bigint, the_question jsonb, the_key jsonb, out id bigint, out hash text
) language plpgsql as $$
declare
  private_key text := case when the_node is null then the_key ->> 'answer' else '' end;
begin
  -- A node's that was answered before, in the same words, says its hash. Held, so that no erasure takes it.
  select asked.id, asked.question_hash into id, hash from tutor_questions as asked
  where asked.node_id = the_node and asked.question = the_question
  for key share;
  if found then return; end if;
  hash := question_hash(the_question);
  loop
    select asked.id into id from tutor_questions as asked
    where asked.content_item_id = the_item and asked.question_hash = hash and coalesce(asked.node_id, 0) = coalesce(the_node, 0)
      and (case when asked.node_id is null then asked.question_key ->> 'answer' else '' end) = private_key
    for key share;
    exit when found;
    insert into tutor_questions as asked (content_item_id, question_hash, node_id, question, question_key)
    values (the_item, hash, the_node, the_question, the_key)
    on conflict do nothing returning asked.id into id;
    exit when id is not null;
  end loop;
end $$;
--> statement-breakpoint
-- Offers, or renews the same open offer in the name of who asks now. `is_new` says which. With `passes` the place is given
-- whatever the window, the prerequisites and the capacity say; `the_sourced_id` is that of an import.
create or replace function invite(
  university integer, to_address text, the_role text, department integer, offering integer, as_instructor boolean,
  inviter integer, request jsonb, passes boolean default false, the_source text default 'operation',
  the_sourced_id text default null, out invitation invitations, out is_new boolean
) language plpgsql as $$
declare
  moment timestamptz := sent_at(request);
  offered record;
begin
  insert into invitations as one
    (university_id, email, role, department_id, course_offering_id, teaches, invited_by_user_id, created_at,
     expires_at, overrides, source, sourced_id)
  values (university, to_address, the_role, department, offering, as_instructor, inviter, moment,
          case when the_source = 'directory' then timestamptz '9999-12-31 00:00:00Z' else moment + interval '7 days' end,
          passes, the_source, the_sourced_id)
  on conflict (university_id, email, coalesce(role, ''), coalesce(department_id, 0), coalesce(course_offering_id, 0),
               teaches)
    where accepted_at is null and revoked_at is null
  do update set invited_by_user_id = inviter, mail_id = null, overrides = excluded.overrides,
    -- What the directory offers lasts as long as its record, whoever offers it again.
    expires_at = case when one.source = 'directory' then one.expires_at else excluded.expires_at end,
    source = case when one.source = 'directory' then one.source else excluded.source end,
    sourced_id = coalesce(excluded.sourced_id, one.sourced_id)
  returning one, one.xmax = 0 as is_new into offered;
  invitation := offered.one;
  is_new := offered.is_new;
  perform mail_invitations(to_address, request);
  perform audit('invitation.sent', inviter, null, university, jsonb_strip_nulls(jsonb_build_object(
    'invitation_id', invitation.id, 'role', the_role, 'department_id', department, 'course_offering_id', offering,
    'teaches', nullif(as_instructor, false))), request);
end $$;
--> statement-breakpoint
-- The same of those whom an LMS makes staff of it (lib/rbac/policy.ts says what they may do).
create or replace function is_launched_staff(person integer, offering integer) returns boolean
language sql stable as $$
  select exists (
    select from offering_staff as staff
    where staff.user_id = person and staff.course_offering_id = offering
      and not is_suspended(staff.university_id, person)
      and not exists (select from learners where user_id = person and course_offering_id = offering))
$$;
--> statement-breakpoint
-- Whether a launch may take an account for a person's without their sign-in to it: not that of whoever is staff anywhere,
-- belongs to another university, has not accepted what one offers them, or is someone else of the same LMS.
create or replace function is_linked_silently(platform lti_platforms, account users, moment timestamptz) returns boolean
language sql stable as $$
  select account.is_active and account.erased_at is null
    and coalesce(account.made_by_university_id = platform.university_id, true)
    and not exists (select from user_university_roles where user_id = account.id and role <> 'student')
    and not exists (select from offering_staff where user_id = account.id)
    and not exists (select from known_at(account.id) as known where known.university_id <> platform.university_id)
    and not exists (
      select from invitations where email = account.email and accepted_at is null and revoked_at is null
        and expires_at > moment)
    and not exists (select from lti_people where platform_id = platform.id and user_id = account.id)
$$;
--> statement-breakpoint
-- Whether an account is one that the university made and nobody has entered since, which it may call what it likes.
create or replace function is_made_by(university integer, person integer) returns boolean language sql stable as $$
  select exists (
    select from users where id = person and made_by_university_id = university and not was_entered(users)
      and not exists (
        select from known_at(person) as known where known.university_id <> university or known.role = 'platform_admin'))
$$;
--> statement-breakpoint
-- Whether an account is one of a university's own people: who has or had a role, a place or an offering as its staff there, who is known there by an
-- account that it made and nobody entered, and who has a verified address in one of its domains.
create or replace function is_own_person(university integer, account users) returns boolean language sql stable as $$
  select account.erased_at is null and (
    exists (select from user_university_roles where user_id = account.id and university_id = university)
    or exists (select from enrollments where user_id = account.id and university_id = university)
    or exists (select from offering_staff where user_id = account.id and university_id = university)
    or coalesce(account.made_by_university_id = university, false) and not was_entered(account)
    or account.email_verified_at is not null and exists (
      select from university_domains
      where university_id = university and domain = split_part(account.email, '@', 2)))
$$;
--> statement-breakpoint
-- Whether learners of an offering can be taking a quiz by its dates at that moment: those of the offering, and those of
-- anyone who is granted another, or is in a group that has one.
create or replace function is_quiz_closed_to_all(the_item integer, the_offering integer, moment timestamptz)
returns boolean language sql stable as $$
  select coalesce(moment > (
      select coalesce(dates.closes_at, run.ends_at) + quiz_grace()
      from course_offerings as run cross join lateral item_dates(run.id, null, array[the_item]) as dates
      where run.id = the_offering), false)
    and not exists (
      select from quiz_overrides as granted
      where granted.course_offering_id = the_offering and granted.content_item_id = the_item
        and moment <= granted.due_at + quiz_grace())
    and not exists (
      select from course_offerings as run
      join enrollments as taking on taking.course_offering_id = run.id and taking.is_admitted
      join accommodations as given on given.university_id = run.university_id and given.user_id = taking.user_id
      cross join lateral quiz_rules(the_item, run.id, taking.user_id, moment) as rules
      where run.id = the_offering and given.extra_days > 0 and moment <= rules.closes_at + quiz_grace())
    and not exists (
      select from offering_group_members as taking
      cross join lateral quiz_rules(the_item, the_offering, taking.user_id, moment) as rules
      where taking.course_offering_id = the_offering and taking.group_role = 'member'
        and exists (select from offering_group_dates as own where own.group_id = taking.group_id and own.due_at is not null)
        and coalesce(moment <= rules.closes_at + quiz_grace(), true))
$$;
--> statement-breakpoint
-- Whether a person may still see a thread, and so be told what is said in it.
create or replace function is_thread_open_to(person integer, the_thread integer) returns boolean
language sql stable as $$
  select is_staff_of_offering(person, run.id) or is_launched_staff(person, run.id) or (
    takes_part(person, run.id) and course.is_published
    and (thread.visible = 'class' or coalesce(thread.created_by_user_id = person, false))
    and (thread.module_id is null or is_module_published(thread.module_id))
    and (thread.content_item_id is null or is_item_public(thread.content_item_id)))
  from discussion_threads as thread
  join course_offerings as run on run.id = thread.course_offering_id
  join courses as course on course.id = run.course_id
  where thread.id = the_thread
$$;
--> statement-breakpoint
-- The same of a content item.
create or replace function item_access(
  item integer, person integer, moment timestamptz, as_learner boolean default false
) returns text language sql stable as $$
  select module_access(one.module_id, person, moment, one.is_active, one.available_from, as_learner, one.id)
  from content_items as one where one.id = item
$$;
--> statement-breakpoint
-- A person's newest attempt at each item that they tried. `number` says which it is of the `most` that they have, which is
-- null without a limit: at a quiz with those in other offerings that are counted together; what was returned is no attempt
-- that counts, and the next takes its number. `state` is 'open', 'submitted', 'graded' or 'returned'. Of a quiz whose time
-- is up the score is missing until someone has closed it.
create or replace function item_attempts(offering integer, person integer, moment timestamptz)
returns table (item_id integer, number integer, most integer, score numeric, passed boolean, state text)
language sql stable as $$
  select tried.item_id, attempts_taken(person, tried.item_id, offering), rules.most_attempts,
         (tried.newest).score_obtained, (tried.newest).passed,
         case when not is_over(tried.newest, moment) then 'open'
              when (tried.newest).score_obtained is null then 'submitted' else 'graded' end
  from (
    select distinct on (one.content_item_id) one.content_item_id as item_id, one as newest
    from quiz_attempts as one where one.user_id = person and one.course_offering_id = offering
    order by one.content_item_id, one.attempt_number desc
  ) as tried
  cross join lateral quiz_rules(tried.item_id, offering, person, moment) as rules
  union all
  select tried.item_id, tried.number, rules.most_attempts, tried.score, null, tried.status
  from (
    select distinct on (one.content_item_id) one.content_item_id as item_id, one.score_obtained as score, one.status,
           (count(*) filter (where one.status <> 'returned') over (partition by one.content_item_id)
             + (one.status = 'returned')::int)::int as number
    from lab_submissions as one where one.user_id = person and one.course_offering_id = offering
    order by one.content_item_id, one.attempt_number desc
  ) as tried
  cross join lateral work_rules(tried.item_id, offering, person) as rules
$$;
--> statement-breakpoint
-- Of these items when they open, are due and close for a person in an offering; the person is null for what holds for
-- nobody in particular. With `the_groups` it is for members of these, whoever they are. Null is at any time, and at no time. What has no date of its own, wherever it is said, is due with
-- a module and closes never: `closes_at` is null for it.
create or replace function item_dates(offering integer, person integer, items integer[], the_groups integer[] default null)
returns table (item_id integer, opens_at timestamptz, due_at timestamptz, closes_at timestamptz)
language sql stable as $$
  with recursive node (item_id, step, in_item, in_module, above_id, available_from, due_at) as (
    select one.id, 0, one.id, null::integer, one.module_id, one.available_from, one.due_at
    from unnest(items) as wanted (id) join content_items as one on one.id = wanted.id
    union all
    select node.item_id, node.step + 1, null, above.id, above.parent_module_id, above.available_from, above.due_at
    from node
    cross join lateral (select one.* from modules as one where one.id = node.above_id offset 0) as above
  ), said (item_id, step, layer, group_id, available_from, due_at) as materialized (
    select node.item_id, node.step, 3, null::integer, node.available_from, node.due_at from node
    where node.available_from is not null or node.due_at is not null
    union all
    select node.item_id, node.step, 1, own.group_id, own.available_from, own.due_at
    from groups_of(offering, person, the_groups) as mine (id)
    join offering_group_dates as own on own.group_id = mine.id
    join node on own.content_item_id = node.in_item or own.module_id = node.in_module
    union all
    select node.item_id, node.step, 2, null, own.available_from, own.due_at
    from node join offering_dates as own on own.course_offering_id = offering
      and (own.content_item_id = node.in_item or own.module_id = node.in_module)
    union all
    select granted.content_item_id, 0, 0, null, null, granted.due_at from quiz_overrides as granted
    where granted.course_offering_id = offering and granted.user_id = person
      and granted.content_item_id = any (items) and granted.due_at is not null
  ), opening as (
    select first.item_id, max(first.available_from) as moment from (
      select distinct on (said.item_id, said.step) said.item_id, said.available_from from said
      where said.available_from is not null order by said.item_id, said.step, said.layer, said.available_from
    ) as first group by first.item_id
  ), nearest as (
    -- Of the course, of the offering and of each group.
    select distinct on (said.item_id, said.layer, said.group_id) said.item_id, said.layer, said.due_at,
           bool_or(said.step = 0) over (partition by said.item_id) as is_own
    from said where said.due_at is not null order by said.item_id, said.layer, said.group_id, said.step
  ), due as (
    select distinct on (nearest.item_id) nearest.item_id, nearest.due_at as moment, nearest.is_own
    from nearest order by nearest.item_id, nearest.layer, nearest.due_at desc
  ), given as materialized (
    select run.university_id
    from course_offerings as run
    join accommodations as one on one.university_id = run.university_id and one.user_id = person
    where run.id = offering
  ), late as (
    select due.item_id, due.is_own, nullif(case when exists (select from given)
      then with_extra_days(due.moment, person, (select university_id from given)) else due.moment end, 'infinity') as moment
    from due
  )
  select wanted.id, nullif(opening.moment, '-infinity'), late.moment, case when late.is_own then late.moment end
  from unnest(items) as wanted (id)
  left join opening on opening.item_id = wanted.id left join late on late.item_id = wanted.id
$$;
--> statement-breakpoint
-- What is due within that time after a moment in offerings that go on, by whoever says so, of which nobody was reminded: by
-- the course, the offering, or what someone is granted or given (accommodations.sql). Who is to do it by then the dates of each say (dates.sql).
create or replace function items_due_soon(moment timestamptz, ahead interval)
returns table (offering integer, item integer, due timestamptz)
-- Little is due at a time, which no estimate of a recursive query knows: row by row, no table is read whole for it.
language sql stable set enable_hashjoin = off set enable_mergejoin = off as $$
  with recursive looked_at (after, until) as (
    select moment, moment + ahead
    union
    -- What is due then with someone's days is due so many days before without them, by an hour more or less.
    select moment - make_interval(days => extra_days + 1), moment + ahead - make_interval(days => extra_days - 1)
    from (select distinct extra_days from accommodations where extra_days > 0) as given
  ), dated (offering, of_group, module_id, item_id, due_at) as (
    select null::integer, null::integer, one.id, null::integer, one.due_at
    from looked_at join modules as one on one.due_at > looked_at.after and one.due_at <= looked_at.until
    union
    select null, null, null, one.id, one.due_at
    from looked_at join content_items as one on one.due_at > looked_at.after and one.due_at <= looked_at.until
    union
    select one.course_offering_id, null, one.module_id, one.content_item_id, one.due_at
    from looked_at join offering_dates as one on one.due_at > looked_at.after and one.due_at <= looked_at.until
    union
    select one.course_offering_id, one.group_id, one.module_id, one.content_item_id, one.due_at
    from looked_at join offering_group_dates as one on one.due_at > looked_at.after and one.due_at <= looked_at.until
  ), inside (offering, of_group, module_id, due_at) as (
    select dated.offering, dated.of_group, dated.module_id, dated.due_at from dated where dated.module_id is not null
    union
    select inside.offering, inside.of_group, below.id, inside.due_at
    from inside join modules as below on below.parent_module_id = inside.module_id
  ), due_item (offering, of_group, item_id, due_at) as (
    select dated.offering, dated.of_group, dated.item_id, dated.due_at from dated where dated.item_id is not null
    union
    select inside.offering, inside.of_group, one.id, inside.due_at
    from inside join content_items as one on one.module_id = inside.module_id
  ), candidate (offering, item_id, due_at) as (
    select run.id, one.id, due_item.due_at
    from due_item join content_items as one on one.id = due_item.item_id
    join course_offerings as run on run.course_id = one.course_id and run.id = coalesce(due_item.offering, run.id)
    where exists (
      select from item_dates(run.id, null, array[one.id], array[due_item.of_group]) as dates
      where dates.due_at = due_item.due_at)
    union
    select own.course_offering_id, own.content_item_id, own.due_at
    from looked_at join quiz_overrides as own on own.due_at > looked_at.after and own.due_at <= looked_at.until
  ), with_days (offering, item_id, due_at) as (
    select candidate.offering, candidate.item_id, candidate.due_at from candidate
    union
    select candidate.offering, candidate.item_id, with_extra_days(candidate.due_at, given.user_id, given.university_id)
    from candidate join course_offerings as run on run.id = candidate.offering
    join accommodations as given on given.university_id = run.university_id and given.extra_days > 0
    join enrollments as taking
      on taking.course_offering_id = run.id and taking.user_id = given.user_id and taking.status = 'active'
  )
  select run.id, one.id, candidate.due_at
  from with_days as candidate join course_offerings as run on run.id = candidate.offering
  join content_items as one on one.id = candidate.item_id and one.is_active
  where candidate.due_at > moment and candidate.due_at <= moment + ahead
    and not coalesce(run.starts_at > candidate.due_at, false)
    and not coalesce(run.ends_at <= moment, false)
    and not exists (
      select from due_reminders as known
      where known.course_offering_id = run.id and known.content_item_id = one.id and known.due_at = candidate.due_at
    ) and is_item_public(one.id)
$$;
--> statement-breakpoint
-- The items in these modules and below them.
create or replace function items_in_modules(the_modules integer[]) returns setof integer language sql stable as $$
  with recursive inside (id) as (
    select unnest(the_modules)
    union
    select below.id from inside join modules as below on below.parent_module_id = inside.id
  )
  select one.id from inside join content_items as one on one.module_id = inside.id
$$;
--> statement-breakpoint
-- The items that lines are of, and those in the modules that they are of.
create or replace function items_of_lines(lines jsonb) returns integer[] language sql stable as $$
  select array(
    select (said ->> 'content_item_id')::integer from jsonb_array_elements(lines) as line (said)
    union
    select items_in_modules(array(
      select (said ->> 'module_id')::integer from jsonb_array_elements(lines) as line (said))))
$$;
--> statement-breakpoint
-- The active items that they have not completed, in modules that are published with all above them, but for those whose
-- newest work waits for its grade, and those at which nothing can be done any more. `place` is an item's way through the
-- tree. The first by it is the next, but for practice quizzes that count in no grade: they come when nothing else is left.
-- It opens and is due as dates.sql says. `is_open`: neither it nor a module above it is locked at that moment. It starts from the items, so that it costs what there is to
-- do, however large the tree is.
create or replace function items_to_do(offering integer, person integer, moment timestamptz)
returns table (
  item_id integer, module_id integer, place integer[], due_at timestamptz, is_open boolean, is_ungraded_practice boolean
) language sql stable as $$
  with recursive left_over as materialized (
    select item.id, item.module_id, item.sequence_index,
           type.name = 'quiz' and not does_quiz_count(item.id, run.id) as is_ungraded_practice
    from course_offerings as run
    join courses as course on course.id = run.course_id and course.is_published
    join content_items as item on item.course_id = run.course_id and item.is_active
    join content_types as type on type.id = item.content_type_id
    where run.id = offering and not exists (
      select from user_content_progress as mine
      where mine.user_id = person and mine.course_offering_id = run.id and mine.content_item_id = item.id
        and mine.completed_at is not null
    ) and not exists (
      select from lab_submissions as work
      where work.user_id = person and work.course_offering_id = run.id and work.content_item_id = item.id
        and work.status = 'submitted' and not exists (
          select from lab_submissions as newer
          where newer.user_id = person and newer.course_offering_id = run.id and newer.content_item_id = item.id
            and newer.attempt_number > work.attempt_number)
    ) and (not type.takes_result or can_be_tried(item.id, run.id, person, moment))
  ), way (module_id, parent_module_id, place, required) as (
    select m.id, m.parent_module_id, array[m.sequence_index], m.requires_module_ids
    from (select distinct left_over.module_id from left_over) as own
    cross join lateral (select one.* from modules as one where one.id = own.module_id offset 0) as m
    where m.is_published
    union all
    select way.module_id, above.parent_module_id, above.sequence_index || way.place,
           way.required || above.requires_module_ids
    from way
    cross join lateral (select one.* from modules as one where one.id = way.parent_module_id offset 0) as above
    where above.is_published
  ), whole as materialized (
    select * from way where way.parent_module_id is null
  ), asked (course_id, unmet) as materialized (
    select run.course_id, case when exists (select from whole where whole.required <> '{}')
      then unmet_modules(person, run.course_id, array(select distinct unnest(whole.required) from whole)) else '{}' end
    from course_offerings as run where run.id = offering
  )
  select left_over.id, left_over.module_id, whole.place || left_over.sequence_index,
         dates.due_at, lock_reason(false, dates.opens_at, whole.required, asked.unmet, moment) is null,
         left_over.is_ungraded_practice
  from left_over join whole on whole.module_id = left_over.module_id cross join asked
  join item_dates(offering, person, array(select left_over.id from left_over)) as dates on dates.item_id = left_over.id
$$;
--> statement-breakpoint
-- Keeps what a launch says of a link, and answers where it leads: an item or a module of the bound course, the first that
-- it names; what it said before, where it names none now; or else the course.
create or replace function keep_lti_link(bound lti_contexts, told jsonb) returns lti_links language plpgsql as $$
declare
  the_course integer := (select course_id from course_offerings where id = bound.course_offering_id);
  item integer := (
    select one.id from content_items as one
    where one.id = (told ->> 'content_item_id')::integer and one.course_id = the_course);
  module integer := (
    select one.id from modules as one
    where item is null and one.id = (told ->> 'module_id')::integer and one.course_id = the_course);
  link lti_links;
begin
  select * into link from lti_links where context_id = bound.id and resource_link_id = told ->> 'id';
  if link.id is not null and num_nonnulls(item, module) = 0 then
    item := link.content_item_id;
    module := link.module_id;
  end if;
  if link.id is null or (link.title, link.content_item_id, link.module_id, link.line_item_url)
      is distinct from (told ->> 'title', item, module, told ->> 'line_item_url') then
    insert into lti_links as kept (context_id, resource_link_id, title, content_item_id, module_id, line_item_url)
    values (bound.id, told ->> 'id', told ->> 'title', item, module, told ->> 'line_item_url')
    on conflict (context_id, resource_link_id) do update set
      (title, content_item_id, module_id, line_item_url, updated_at) =
      (excluded.title, excluded.content_item_id, excluded.module_id, excluded.line_item_url, service_now())
    returning kept.* into link;
  end if;
  return link;
end $$;
--> statement-breakpoint
-- The universities that a person belongs to, with the roles there; an enrollment, and to be staff of an offering as an LMS
-- says, count as well.
create or replace function known_at(person integer) returns table (university_id integer, role text)
language sql stable as $$
  select r.university_id, r.role from user_university_roles as r where r.user_id = person
  union
  select e.university_id, null from enrollments as e where e.user_id = person
  union
  select s.university_id, null from offering_staff as s where s.user_id = person
$$;
--> statement-breakpoint
-- Does all that a verified launch does, once: finds the person, gives them what it says that they are, and keeps a code by
-- which its page gets a session. `told` is what lib/lti/launch.ts reads of it: deployment_id, subject, name, email,
-- sourced_id, role, context and link, or in place of that deep_linking, which its page gets. `accepted`; what take_lti_launch says beside that; `no_context`, `unbound`,
-- `no_role`; the refusals of find_lti_person and give_lti_role. What is refused here was signed: the nonce is used.
create or replace function launch_lti(
  the_platform integer, told jsonb, nonce_hash text, the_code text, the_challenge text, request jsonb
) returns text language plpgsql as $$
declare
  bound lti_contexts;
  met record;
  link lti_links;
  moment timestamptz := sent_at(request);
  wanted text := told ->> 'role';
  outcome text := take_lti_launch(the_platform, told ->> 'deployment_id', nonce_hash, moment);
begin
  if outcome <> 'accepted' then return outcome; end if;
  if told -> 'context' is null then return 'no_context'; end if;
  select one.* into bound from lti_contexts as one join lti_deployments as place on place.id = one.deployment_id
  where one.platform_id = the_platform and place.deployment_id = told ->> 'deployment_id'
    and one.context_id = told #>> '{context,id}';
  if bound.id is null then return 'unbound'; end if;
  select user_id as person into met from lti_people where platform_id = the_platform and subject = told ->> 'subject';
  if wanted is null and met.person is null then return 'no_role'; end if;
  if wanted is null or met.person is null or not has_lti_role(bound, met.person, wanted) then
    perform lock_course_key_shared(bound.course_offering_id);
    perform from course_offerings where id = bound.course_offering_id for no key update;
  end if;
  select * into met from find_lti_person(the_platform, told, request);
  if met.refusal is not null then return met.refusal; end if;
  if wanted is null or not has_lti_role(bound, met.person, wanted) then
    outcome := give_lti_role(bound, met.person, wanted, 'launch', request);
    if outcome is not null then return outcome; end if;
    if wanted is null then return 'no_role'; end if;
  end if;
  update lti_people set last_launched_at = moment where id = met.known;
  update lti_contexts set
    (title, memberships_url, line_items_url, grade_scopes, last_launched_at) = (
      told #>> '{context,title}', told #>> '{context,memberships_url}', told #>> '{context,line_items_url}',
      array(select jsonb_array_elements_text(told #> '{context,grade_scopes}')), moment)
  where id = bound.id and (last_launched_at is null or last_launched_at < moment - interval '1 minute'
    or (title, memberships_url, line_items_url) is distinct from (
      told #>> '{context,title}', told #>> '{context,memberships_url}', told #>> '{context,line_items_url}'));
  if told ? 'link' then link := keep_lti_link(bound, told -> 'link'); end if;
  delete from lti_launch_codes where code_hash in (
    select code_hash from lti_launch_codes where expires_at <= moment order by expires_at limit 3
    for update skip locked);
  insert into lti_launch_codes (code_hash, platform_id, user_id, challenge, launch, expires_at)
  select the_code, the_platform, met.person, the_challenge, jsonb_build_object(
    'university_id', run.university_id, 'course_offering_id', run.id, 'course_id', run.course_id,
    'content_item_id', link.content_item_id, 'module_id', link.module_id, 'role', wanted,
    'deep_linking', told -> 'deep_linking'),
    moment + interval '60 seconds'
  from course_offerings as run where run.id = bound.course_offering_id;
  return 'accepted';
end $$;
--> statement-breakpoint
-- Gives a worker the roster that is due first, for so many seconds. Those of courses that were bound since the last time
-- are due in the night.
create or replace function lease_lti_roster(seconds integer, moment timestamptz)
returns table (
  context_id integer, mode text, asked_by integer, tries integer, memberships_url text, differences_url text,
  platform_id integer, client_id text, auth_token_url text, staff_by_institution_role boolean
) language plpgsql as $$
#variable_conflict use_column
begin
  insert into lti_rosters (context_id, state, mode, due_at, created_at, updated_at)
  select one.id, 'asked', 'nightly', next_lti_roster_at(one.id, moment), moment, moment
  from lti_contexts as one
  where one.memberships_url is not null and not exists (select from lti_rosters as known where known.context_id = one.id)
  order by one.id limit 100
  on conflict do nothing;
  return query
    with next as (
      select one.context_id from lti_rosters as one join lti_contexts as bound on bound.id = one.context_id
      join course_offerings as run on run.id = bound.course_offering_id
      where greatest(one.due_at, coalesce(one.lease_until, one.due_at)) <= moment and bound.memberships_url is not null
        and (one.mode <> 'nightly' or coalesce(run.ends_at, moment) >= moment)
      order by greatest(one.due_at, coalesce(one.lease_until, one.due_at)) limit 1 for update of one skip locked
    ), leased as (
      update lti_rosters as one
      set lease_until = moment + make_interval(secs => seconds), tries = one.tries + 1
      from next where one.context_id = next.context_id returning one.*
    )
    select leased.context_id, leased.mode, leased.asked_by_user_id, leased.tries, bound.memberships_url::text,
           case when leased.taken_at > moment - interval '7 days' then leased.differences_url::text end,
           platform.id, platform.client_id::text, platform.auth_token_url::text, platform.staff_by_institution_role
    from leased join lti_contexts as bound on bound.id = leased.context_id
    join lti_platforms as platform on platform.id = bound.platform_id;
end $$;
--> statement-breakpoint
-- Gives whoever sends scores so many that are due, for so many seconds, with what is to be told. Of each it counts a try,
-- and notes a time that is later than the last. What a platform that is left alone for now is to be told stays.
create or replace function lease_lti_scores(most integer, seconds integer, moment timestamptz)
returns table (
  link_id integer, person_id integer, marks integer, tries integer, told_at timestamptz, was_told boolean,
  is_same boolean, score numeric, maximum numeric, subject text, line_item_url text, platform_id integer, client_id text,
  auth_token_url text
) language plpgsql as $$
#variable_conflict use_column
begin
  return query
    with next as (
      select one.link_id, one.person_id
      from lti_scores as one
      join lti_people as person on person.id = one.person_id
      where one.due_at <= moment and (one.lease_until is null or one.lease_until <= moment) and not exists (
        select from lti_service_pauses as pause where pause.platform_id = person.platform_id and pause.until > moment)
      order by one.due_at, one.link_id, one.person_id limit most for update of one skip locked
    ), leased as (
      update lti_scores as one
      set tries = one.tries + 1, lease_until = moment + make_interval(secs => seconds),
          told_at = greatest(moment, one.told_at + interval '1 second')
      from next, lti_scores as former
      where one.link_id = next.link_id and one.person_id = next.person_id
        and former.link_id = next.link_id and former.person_id = next.person_id
      returning one.*, former.told_at is not null as was_told
    ), asked as (
      select link.id, (select whole from lti_links as whole where whole.id = link.id) as link, context.course_offering_id,
             array_agg(person.user_id) filter (where person.user_id is not null) as people
      from leased
      join lti_links as link on link.id = leased.link_id
      join lti_contexts as context on context.id = link.context_id
      join lti_people as person on person.id = leased.person_id
      group by link.id, context.course_offering_id
    ), worth as (
      select asked.id, value.* from asked
      cross join lateral lti_score_values(asked.link, asked.course_offering_id, asked.people) as value
    )
    select leased.link_id, leased.person_id, leased.marks, leased.tries, leased.told_at, leased.was_told,
           leased.sent_at is not null and (leased.sent_score, case when leased.sent_score is not null then leased.sent_maximum end)
             is not distinct from (worth.score, case when worth.score is not null then worth.maximum end),
           worth.score, worth.maximum, person.subject::text, link.line_item_url::text, platform.id,
           platform.client_id::text, platform.auth_token_url::text
    from leased
    join lti_links as link on link.id = leased.link_id
    join lti_people as person on person.id = leased.person_id
    join lti_platforms as platform on platform.id = person.platform_id
    left join worth on worth.id = leased.link_id and worth.user_id = person.user_id
    order by platform.id, leased.link_id, leased.person_id;
end $$;
--> statement-breakpoint
-- Leaves a batch to whoever takes it up in so many seconds.
create or replace function leave_batch(the_batch bigint, holder uuid, seconds double precision, was_cancelled boolean)
returns void language sql as $$
  update llm_batches set
    token = null, leased_until = clock_timestamp() + make_interval(secs => seconds),
    cancelled_at = case when was_cancelled then coalesce(cancelled_at, clock_timestamp()) else cancelled_at end
  where id = the_batch and token = holder
$$;
--> statement-breakpoint
-- A node is no longer part of its batch: its answer was taken, or there is none, and it is asked for at once.
create or replace function leave_warm_batch(the_node bigint) returns void language sql as $$
  update warming_nodes set call_id = null where id = the_node
$$;
--> statement-breakpoint
-- Links whom a platform knows to an account, which the audit log is told.
create or replace function link_lti_person(known integer, person integer, how text, request jsonb) returns void
language plpgsql as $$
begin
  update lti_people set user_id = person, linked_by = how where id = known;
  perform audit('lti_person.linked', person, person, platform.university_id,
    jsonb_build_object('lti_platform_id', platform.id, 'linked_by', how), request)
  from lti_people as one join lti_platforms as platform on platform.id = one.platform_id where one.id = known;
end $$;
--> statement-breakpoint
-- Links whom a launch knows to the account that someone signed in to, and accepts what the university offers them. `gone`,
-- where the platform was removed; `taken`, where they are linked to another account.
create or replace function link_lti_sign_in(the_platform integer, the_subject text, person integer, request jsonb)
returns text language plpgsql as $$
declare
  met lti_people;
  university integer := (select university_id from lti_platforms where id = the_platform);
begin
  perform accept_invitations_of(person, request, university);
  insert into lti_people (platform_id, subject)
  select the_platform, the_subject from lti_platforms where id = the_platform on conflict do nothing;
  select * into met from lti_people where platform_id = the_platform and subject = the_subject for update;
  if met.id is null then return 'gone'; end if;
  if met.user_id = person then return null; end if;
  if met.user_id is not null then return 'taken'; end if;
  perform link_lti_person(met.id, person, 'sign_in', request);
  return null;
end $$;
--> statement-breakpoint
-- Makes a person the one whom a record is about, unless another record of the university is: whether it was so.
create or replace function link_scim_user(the_record integer, person integer) returns boolean language plpgsql as $$
begin
  update scim_users set user_id = person where id = the_record and user_id is null;
  return found;
exception when unique_violation then
  return false;
end $$;
--> statement-breakpoint
-- Has a record be about whoever accepted what the university offered to its address.
create or replace function link_scim_user_of(university integer, address text, person integer, actor integer, request jsonb)
returns void language plpgsql as $$
declare
  the_record integer;
begin
  select id into the_record from scim_users
  where university_id = university and email = address and user_id is null order by id limit 1;
  if the_record is null or not link_scim_user(the_record, person) then return; end if;
  perform settle_scim_roles(university, array[the_record], actor, request);
  perform settle_scim_names(record), settle_scim_activity(record, actor, request)
  from scim_users as record where id = the_record;
end $$;
--> statement-breakpoint
-- Holds what comes in a change of who is in a group, and finds the group; no row where it was deleted.
create or replace function lock_group(the_group integer) returns setof offering_groups language plpgsql as $$
begin
  perform lock_grades((select course_offering_id from offering_groups where id = the_group));
  return query select one.* from offering_groups as one where one.id = the_group for no key update;
end $$;
--> statement-breakpoint
-- Waits for whatever else changes what invitations name, in the order in which all others do.
create or replace function lock_invited_scopes(invited integer[]) returns void language plpgsql as $$
begin
  perform from universities where id in (select university_id from invitations where id = any (invited))
  order by id for key share;
  perform from departments where id in (select department_id from invitations where id = any (invited))
  order by id for key share;
  perform lock_offerings(array(select course_offering_id from invitations where id = any (invited)));
  perform from scim_users as record
  where exists (
    select from invitations as one
    where one.id = any (invited) and one.university_id = record.university_id and one.email = record.email)
  order by id for update;
end $$;
--> statement-breakpoint
-- Whose account a platform's person may be by what it tells: by their number, where it is believed of numbers, or by their
-- address. `is_vouched` says whether it is believed of that. An address that it is not believed of finds the university's
-- own people alone, so that no LMS can ask who has an account here.
create or replace function lti_candidate(platform lti_platforms, told jsonb, out account users, out linking text, out is_vouched boolean)
language plpgsql stable as $$
declare
  address text := lower(told ->> 'email');
begin
  if platform.trusts_sourced_id then
    select one.* into account from sourced_people as known join users as one on one.id = known.user_id
    where known.university_id = platform.university_id and known.sourced_id = told ->> 'sourced_id';
    linking := 'sourced_id';
    is_vouched := true;
  end if;
  if account.id is null and address is not null then
    select one.* into account from users as one where one.email = address;
    linking := 'email';
    is_vouched := platform.trusts_email and is_reached_by_address(account) and exists (
      select from university_domains
      where university_id = platform.university_id and domain = split_part(address, '@', 2));
    if not is_vouched and not coalesce(is_own_person(platform.university_id, account), false) then account := null; end if;
  end if;
end $$;
--> statement-breakpoint
-- How an LMS stands with the grades of these people: `[{"content_item_id", "module_id", "state", "reason", "sent_at"}, …]` of
-- each who has any there. `state`: WAITS, also where something was graded a moment ago, REFUSED, or SENT.
create or replace function lti_score_states(offering integer, people integer[])
returns table (user_id integer, told json) language sql stable as $$
  select person.user_id, json_agg(json_build_object(
    'content_item_id', link.content_item_id, 'module_id', link.module_id,
    'state', case when standing.waits then 'WAITS' when score.is_refused then 'REFUSED' else 'SENT' end,
    'reason', case when standing.waits then coalesce(score.failure, pause.failure) else score.failure end,
    'sent_at', to_char(score.sent_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by link.id)
  from lti_contexts as context
  join lti_links as link on link.context_id = context.id
  join lti_scores as score on score.link_id = link.id
  join lti_people as person on person.id = score.person_id and person.user_id = any (people)
  left join lti_service_pauses as pause on pause.platform_id = context.platform_id
  cross join lateral (
    select score.due_at is not null or exists (
      select from lti_score_marks as mark
      where mark.course_offering_id = offering and coalesce(mark.user_id, person.user_id) = person.user_id
        and (link.content_item_id is null or coalesce(mark.content_item_id, link.content_item_id) = link.content_item_id)
    ) as waits
  ) as standing
  where context.course_offering_id = offering and (standing.waits or score.is_refused or score.sent_at is not null)
  group by person.user_id
$$;
--> statement-breakpoint
-- What a link's column has of these people, as they see it themselves: of an item its points, once they are released; of
-- a module the percent of the points of what is released and graded in it; of the course the final grade, or else the
-- percent of all that is released. `score` is null where there is none, and for whoever is excused.
create or replace function lti_score_values(link lti_links, offering integer, people integer[])
returns table (user_id integer, score numeric, maximum numeric) language plpgsql stable as $$
#variable_conflict use_column
begin
  if link.content_item_id is not null then
    return query
      select cell.user_id, cell.score, item.max_points
      from graded_items(offering) as item
      join grade_cells(offering, people) as cell on cell.item_id = item.item_id
      where item.item_id = link.content_item_id and item.released;
  elsif link.module_id is not null then
    return query
      select cell.user_id, round(sum(cell.score) / nullif(sum(item.max_points), 0) * 100, 2), 100::numeric
      from graded_items(offering) as item
      join content_items as content on content.id = item.item_id
        and content.module_id in (select modules_within(link.module_id))
      join grade_cells(offering, people) as cell on cell.item_id = item.item_id and cell.score is not null
      where item.released
      group by cell.user_id;
  else
    return query
      select total.user_id, coalesce(final.final_score, total.current_percent), 100::numeric
      from grade_totals(offering, people, true) as total
      left join course_grades as final on final.course_offering_id = offering and final.user_id = total.user_id
        and final.graded_at is not null;
  end if;
end $$;
--> statement-breakpoint
-- Makes an account for whom a platform knows: without an address, unless the platform is believed of it and nobody has it.
create or replace function make_lti_account(platform lti_platforms, known integer, told jsonb, request jsonb)
returns integer language plpgsql as $$
declare
  address text := (
    select lower(told ->> 'email') from university_domains
    where platform.trusts_email and university_id = platform.university_id
      and domain = split_part(lower(told ->> 'email'), '@', 2)
      and not exists (select from users where email = lower(told ->> 'email')));
  person integer;
begin
  insert into users (email, full_name, email_verified_at, made_by_university_id)
  values (address, coalesce(told ->> 'name', 'Learner'), case when address is not null then sent_at(request) end,
          platform.university_id)
  on conflict (email) do nothing returning id into person;
  -- Someone has just taken the address.
  if person is null then return make_lti_account(platform, known, told - 'email', request); end if;
  if told ->> 'name' is null then update users set full_name = 'Learner ' || person where id = person; end if;
  perform link_lti_person(known, person, 'made', request);
  return person;
end $$;
--> statement-breakpoint
-- Makes an account for whom a launch knows, who says that the one that it may be is not theirs. False where they are
-- linked by now, or gone.
create or replace function make_lti_person(the_platform integer, told jsonb, request jsonb) returns boolean
language plpgsql as $$
declare
  platform lti_platforms;
  met lti_people;
begin
  select * into platform from lti_platforms where id = the_platform for key share;
  select * into met from lti_people where platform_id = the_platform and subject = told ->> 'subject' for update;
  if met.id is null or met.user_id is not null then return false; end if;
  perform make_lti_account(platform, met.id, told - 'email', request);
  return true;
end $$;
--> statement-breakpoint
-- Maps a group to a role, which its members hold from then on, or to none. No row without the group.
create or replace function map_scim_group(university integer, the_group integer, wanted text, actor integer, request jsonb)
returns setof scim_groups language plpgsql as $$
declare
  mapped scim_groups;
begin
  update scim_groups set role = wanted, version = version + 1, updated_at = service_now()
  where id = the_group and university_id = university returning * into mapped;
  if mapped.id is null then return; end if;
  perform settle_scim_members(
    mapped, array(select scim_user_id from scim_group_members where group_id = the_group order by 1), actor, request);
  perform audit('scim_group.mapped', actor, null, university,
                jsonb_strip_nulls(jsonb_build_object('scim_group_id', the_group, 'role', wanted)), request);
  return next mapped;
end $$;
--> statement-breakpoint
create or replace function mark_final_lti_score() returns trigger language plpgsql as $$
begin
  perform mark_lti_score(new.course_offering_id, new.user_id, null);
  return null;
end $$;
--> statement-breakpoint
create or replace function mark_graded_lti_score() returns trigger language plpgsql as $$
begin
  perform mark_lti_score(new.course_offering_id, new.user_id, new.content_item_id);
  return null;
end $$;
--> statement-breakpoint
create or replace function mark_lti_score(offering integer, person integer, item integer) returns void
language sql as $$
  insert into lti_score_marks (course_offering_id, user_id, content_item_id)
  select offering, person, item where has_lti_columns(offering)
$$;
--> statement-breakpoint
-- What was graded before a link had its column, or before the LMS named the person, is sent from then on.
create or replace function mark_lti_scores_of_link() returns trigger language plpgsql as $$
begin
  perform mark_lti_score(context.course_offering_id, null, new.content_item_id)
  from lti_contexts as context where context.id = new.context_id;
  return null;
end $$;
--> statement-breakpoint
-- Of a release, or of how an offering is graded.
create or replace function mark_lti_scores_of_offering() returns trigger language plpgsql as $$
declare
  changed jsonb := to_jsonb(coalesce(new, old));
begin
  perform mark_lti_score((changed ->> 'course_offering_id')::int, null, (changed ->> 'content_item_id')::int);
  return null;
end $$;
--> statement-breakpoint
-- The same, or that they are staff of an offering of it as an LMS says, who read what its learners do.
create or replace function may_enter(person integer, the_course integer) returns boolean language sql stable as $$
  select has_seat(person, the_course) or exists (
    select from offering_staff as staff join course_offerings as run on run.id = staff.course_offering_id
    where staff.user_id = person and run.course_id = the_course and not is_suspended(staff.university_id, person))
$$;
--> statement-breakpoint
-- Why a person may not work with what is in a module at that moment: 'hidden', 'enrollment required', 'not available
-- yet'. Null when they may, as staff of the course always do, unless it is asked what stands before a learner. The person
-- is null for whoever is not signed in. An item may be inactive, or available later than its module; with `the_item` it is
-- asked what their offerings say of it, or `offering` does (dates.sql).
create or replace function module_access(
  the_module integer, person integer, moment timestamptz, is_active boolean default true,
  item_available_from timestamptz default null, as_learner boolean default false, the_item integer default null,
  offering integer default null
) returns text language plpgsql stable as $$
declare
  step record;
  above integer := the_module;
  required integer[] := '{}';
  starts timestamptz := item_available_from;
  is_shown boolean := is_active;
begin
  if the_module is null then return null; end if;
  -- A step at a time: most modules are below none, and a recursive query costs more to begin than this does to do.
  while above is not null loop
    select m.parent_module_id, m.is_published, m.available_from, m.requires_module_ids,
           c.id as course_id, c.access, c.is_published as is_course_published,
           -- Looked at beside the rest, since most courses say all of it themselves, and then nothing else is asked.
           exists (
             select from offering_dates as own where own.course_id = c.id and own.available_from is not null
             union all
             select from offering_group_dates as own where own.course_id = c.id and own.available_from is not null
           ) as has_own_openings
    into step from modules as m join courses as c on c.id = m.course_id where m.id = above;
    above := step.parent_module_id;
    is_shown := is_shown and step.is_published;
    starts := greatest(starts, step.available_from);
    required := required || step.requires_module_ids;
  end loop;
  if step.has_own_openings then
    starts := opens_for(person, step.course_id, offering, the_module, the_item, starts);
  end if;
  is_shown := is_shown and step.is_course_published;
  return case
    -- Most is there for everyone, and nothing else is looked at.
    when is_shown and lock_reason(step.access <> 'open', starts, required, required, moment) is null then null
    when not as_learner and is_staff_of_course(person, step.course_id) then null
    when not is_shown then 'hidden'
    else case lock_reason(step.access <> 'open' and not may_enter(person, step.course_id), starts, required,
        unmet_modules(person, step.course_id, required), moment)
      when 'enrollment_required' then 'enrollment required'
      when 'not_available_yet' then 'not available yet'
      when 'modules_incomplete' then 'not available yet' end
  end;
end $$;
--> statement-breakpoint
-- Of the modules of an offering's course when each opens and is due for a person there, by itself alone: it opens with those
-- above it, and what is in it is due with the nearest that says so. With `the_groups` as `item_dates`.
create or replace function module_dates(offering integer, person integer, the_groups integer[] default null)
returns table (module_id integer, opens_at timestamptz, due_at timestamptz) language sql stable as $$
  with grouped as materialized (
    select own.module_id, min(own.available_from) as available_from, max(own.due_at) as due_at
    from groups_of(offering, person, the_groups) as mine (id)
    join offering_group_dates as own on own.group_id = mine.id
    where own.module_id is not null group by own.module_id
  )
  select one.id, nullif(coalesce(grouped.available_from, own.available_from, one.available_from), '-infinity'),
         nullif(with_extra_days(coalesce(grouped.due_at, own.due_at, one.due_at), person, run.university_id), 'infinity')
  from course_offerings as run join modules as one on one.course_id = run.course_id
  left join offering_dates as own on own.course_offering_id = run.id and own.module_id = one.id
  left join grouped on grouped.module_id = one.id
  where run.id = offering
$$;
--> statement-breakpoint
-- The module and all that are below it.
create or replace function modules_within(the_module integer) returns setof integer language sql stable as $$
  with recursive within (id) as (
    select the_module
    union
    select below.id from within cross join lateral (
      select one.id from modules as one where one.parent_module_id = within.id offset 0
    ) as below
  )
  select id from within
$$;
--> statement-breakpoint
-- Moves the calendar of an offering: what holds for its modules and items is said by the offering from then on, that many
-- days later, or so many that the first is on `starts_on`, as a copy's dates are moved (copies.sql). Answers the calendar as it is then.
create or replace function move_offering_dates(the_offering integer, wanted jsonb, moment timestamptz) returns jsonb
language plpgsql as $$
declare
  zone text;
  days integer;
begin
  perform lock_grades(the_offering);
  select university.time_zone into zone
  from course_offerings as run join universities as university on university.id = run.university_id
  where run.id = the_offering;
  days := days_to_move((
    select min(one) filter (where isfinite(one))
    from stated_dates(the_offering) as stated,
         unnest(array[coalesce(opens_at, course_opens_at), coalesce(due_at, course_due_at)]) as one
  ), wanted, zone);
  insert into offering_dates as own (
    course_id, course_offering_id, content_item_id, module_id, available_from, due_at, updated_at)
  select run.course_id, run.id, stated.content_item_id, stated.module_id,
         said_later(coalesce(stated.opens_at, course_opens_at), days, zone),
         said_later(coalesce(stated.due_at, course_due_at), days, zone), moment
  from course_offerings as run cross join lateral stated_dates(run.id) as stated
  where run.id = the_offering
    and num_nonnulls(stated.opens_at, course_opens_at, stated.due_at, course_due_at) > 0
  on conflict on constraint offering_dates_unique do update
    set available_from = excluded.available_from, due_at = excluded.due_at, updated_at = excluded.updated_at;
  perform take_later_dates(the_offering, null, null, moment);
  return offering_calendar(the_offering);
end $$;
--> statement-breakpoint
-- The night in which a roster is read next, at a minute of its own, so that an LMS is not asked for all at once.
create or replace function next_lti_roster_at(the_context integer, moment timestamptz) returns timestamptz
language sql immutable as $$
  select (date_trunc('day', moment at time zone 'UTC') + interval '1 day 1 hour'
    + make_interval(mins => the_context % 240)) at time zone 'UTC'
$$;
--> statement-breakpoint
-- Notes that a launch was refused, and for what.
create or replace function note_refused_launch(the_platform integer, the_reason text, request jsonb) returns void
language sql as $$
  insert into lti_refused_launches as noted (platform_id, day, reason, launches, last_at, last_request_id)
  select one.id, (sent_at(request) at time zone 'UTC')::date, the_reason, 1, sent_at(request), request ->> 'id'
  from lti_platforms as one where one.id = the_platform
  on conflict (platform_id, day, reason) do update set
    launches = noted.launches + 1, last_at = greatest(noted.last_at, excluded.last_at),
    last_request_id = excluded.last_request_id
$$;
--> statement-breakpoint
-- Keeps what an assertion told of itself, for whoever sets the provider up: when it changes, else once an hour.
create or replace function note_saml_attributes(the_provider integer, seen jsonb, moment timestamptz) returns void
language sql as $$
  update saml_providers set seen_attributes = seen, seen_at = moment
  where identity_provider_id = the_provider
    and (seen_attributes is distinct from seen or seen_at < moment - interval '1 hour')
$$;
--> statement-breakpoint
-- Keeps why a sign-in came to nothing, every ten seconds at most for each reason. What was signed is in the audit log too,
-- with whom it named; what was not is anybody's, and is counted alone.
create or replace function note_saml_refusal(
  the_provider integer, the_reason text, what text, is_signed boolean, the_subject text, seen jsonb, request jsonb
) returns void language plpgsql as $$
declare
  provider_name text;
begin
  insert into saml_refusals as one (identity_provider_id, reason, detail, times, last_at)
  values (the_provider, the_reason, what, 1, sent_at(request))
  on conflict (identity_provider_id, reason) do update set
    detail = excluded.detail, times = one.times + 1, last_at = excluded.last_at
  where one.last_at <= excluded.last_at - interval '10 seconds';
  if is_signed then
    provider_name := (select university_id || '.' || name from identity_providers where id = the_provider);
    perform audit('sign_in.failed', null,
      (select user_id from user_identities where provider = provider_name and subject = the_subject),
      (select university_id from identity_providers where id = the_provider),
      jsonb_build_object('provider', provider_name, 'reason', the_reason), request);
    if seen is not null then perform note_saml_attributes(the_provider, seen, sent_at(request)); end if;
  end if;
end $$;
--> statement-breakpoint
-- The provider has a batch, under its own name. Told again it changes nothing.
create or replace function note_sent_batch(the_batch bigint, provider text) returns void language sql as $$
  update llm_batches set state = 'sent', provider_id = provider where id = the_batch and state = 'sending'
$$;
--> statement-breakpoint
-- Numbers what changes of a final grade, for the feed that a university reads them by (lib/event-feed).
create or replace function number_final_grade() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' or new.graded_at is not null then
    new.change_number := change_number();
    select run.university_id into new.university_id from course_offerings as run where run.id = new.course_offering_id;
  end if;
  return new;
end $$;
--> statement-breakpoint
-- The modules and items of an offering's course in the order of the tree, a module's items before the modules below it, as
-- the service answers them: what the offering says of each, what the course does, and what follows for nobody in
-- particular; with a group what is said for that, what holds without it, and what follows for its members. `{"total",
-- "lines"}`, of which those from `first` on are there, at most `most`, or all with null.
create or replace function offering_calendar(
  offering integer, first integer default 0, most integer default null, of_group integer default null
) returns jsonb language sql stable as $$
  with recursive stated as materialized (
    select * from stated_dates(offering, of_group)
  ), node (id, place, depth) as (
    select one.id, array[one.sequence_index], 0
    from stated join modules as one on one.id = stated.module_id where one.parent_module_id is null
    union all
    select one.id, node.place || one.sequence_index, node.depth + 1
    from node join modules as one on one.parent_module_id = node.id
  ), line as (
    select node.place, node.id as module_id, null::integer as item_id, one.title, null as content_type, node.depth,
           dates.opens_at, dates.due_at
    from module_dates(offering, null, array[of_group]) as dates join modules as one on one.id = dates.module_id
    join node on node.id = one.id
    union all
    select node.place || array[-1, one.sequence_index], node.id, one.id, one.title, type.name, node.depth + 1,
           dates.opens_at, dates.due_at
    from item_dates(offering, null, array(
      select stated.content_item_id from stated where stated.content_item_id is not null), array[of_group]) as dates
    join content_items as one on one.id = dates.item_id join content_types as type on type.id = one.content_type_id
    join node on node.id = one.module_id
  ), shown as (
    select line.*, stated.opens_at as own_opens_at, stated.due_at as own_due_at, course_opens_at, course_due_at
    from line join stated
      on coalesce(stated.content_item_id, -stated.module_id) = coalesce(line.item_id, -line.module_id)
    order by place offset first limit most
  )
  select jsonb_build_object('total', (select count(*) from line), 'lines', coalesce(jsonb_agg(jsonb_build_object(
    'content_item_id', item_id, 'module_id', module_id, 'title', title, 'content_type', content_type, 'depth', depth,
    'available_from', answered_moment(opens_at), 'due_at', answered_moment(due_at),
    'own', said_as_json('available_from', own_opens_at) || said_as_json('due_at', own_due_at),
    'course', jsonb_build_object(
      'available_from', answered_moment(nullif(course_opens_at, '-infinity')),
      'due_at', answered_moment(nullif(course_due_at, 'infinity')))) order by place), '[]'))
  from shown
$$;
--> statement-breakpoint
-- The university by whose providers and LMSs alone an account is entered and to which alone it belongs; null where there is another
-- way in, or a role or an enrollment elsewhere: then a sign-in by such a provider does not reach the whole account.
create or replace function only_university_of(person integer) returns integer language sql stable as $$
  select entered.university_id
  from (
    select min(way.university_id) as university_id
    from (
      select split_part(provider, '.', 1)::integer as university_id
      from user_identities where user_id = person and provider like '%.%'
      union all
      select platform.university_id
      from lti_people as known join lti_platforms as platform on platform.id = known.platform_id
      where known.user_id = person
    ) as way
    having count(distinct way.university_id) = 1
  ) as entered
  where not exists (select from users where id = person and password_hash is not null)
    and not exists (select from user_identities where user_id = person and provider not like '%.%')
    and not exists (
      select from known_at(person) as known
      where known.university_id <> entered.university_id or known.role = 'platform_admin')
$$;
--> statement-breakpoint
-- Opens a turn of the person whom a valid token names, with the version of their tokens: stores their message with what
-- it does to the session and to their streak, and answers it where the tree holds the answer. Else it takes the
-- session's lease, and reads what answering takes. With `the_question` it takes up a message again that was stored
-- before and not answered: nothing is stored, and who listens to it already is joined, unless the answer that they wait
-- for has failed.
--
-- `the_message` is the normal form of `Start.` or of an answer to a question; null for what is on no path. Where the
-- answer under the cursor asks a question, only what it offers is on the path, and under the name that the tree keeps
-- it by: `the_loose_message` is the same answer as it is compared where none fits. What was just answered and is said
-- again is answered again. Where the cursor is gone, what a message of the session offered is answered
-- in private, and the session stays in the tree: the service says whether one `is_offered`, as it alone compares. While it
-- is null and there is something to compare with, nothing is done, for 'what was asked'.
--
-- `the_move` is the name of a message that is called like a move (tutor-moves.sql), which `move` says what it was taken as.
-- `has_key` says whether the answer's question has a key, and `carried` is the question of one that answers a move.
--
-- The token reaches the whole account, or `the_reach`, a university, of which a launch reaches `the_course` alone
-- (token-reach.sql).
--
-- No row: there is no such person, or the token has ended. `refusal` says why nothing was done: 'inactive person', 'no
-- such session', 'not theirs', 'out of reach', 'own provider', 'inactive university', one of `item_access` (outline.sql), 'under exam',
-- 'sent before' (with the message, and its answer if it has one), 'closed' (an aside to new words), 'being answered', 'answered' (by the time it was taken
-- up again), 'another time zone', when `today` is not the day in their zone, 'no such move', or 'what was asked', with the `questions`.
create or replace function open_turn(
  the_session bigint, the_person integer, the_version integer, the_content text, the_message text,
  the_client_id text, the_question bigint, the_token uuid, default_model text, allowed_models text[], tutor_prompt text,
  deepest integer, the_zone text, today date, moment timestamptz, the_reach integer, the_loose_message text,
  is_offered boolean default null, the_move text default null, the_course integer default null
) returns table (
  refusal text, time_zone text, message_id bigint,
  -- Of an answer that is there.
  answer_id bigint, answered_at timestamptz, meta jsonb, chunks jsonb, has_key boolean, carried jsonb,
  -- Of a turn that is still to be answered: by the answer that is just being made, or by one that is to be claimed.
  token uuid, content text, shared boolean, parent_id bigint, message text, model text, university_id integer,
  generation bigint, graph json, questions jsonb, move text,
  -- Whether the message was a step, and `right` or `wrong` (tutor-steps.sql).
  step text
)
-- Planned once for each connection: some of its statements would else be planned anew at each message.
language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  session record;
  active boolean;
  last_active date;
  topic record;
  tutor record;
  candidate record;
  hash text;
  key text;
  node bigint;
  answer text;
  question jsonb;
  reached record;
  has_asked_key boolean;
begin
  -- Many small statements, of which each turn runs those that it needs: what a statement costs here is hardly what it
  -- finds, but how much it is made of. What is read after the lock is what the message before this one left.
  select s.id, s.content_item_id, s.item_fingerprint, s.surroundings_fingerprint, s.content_fingerprint, s.cache_node_id,
         s.cache_state, s.prompt_id, s.rollout_id, s.rollout_arm, s.answering_message_id, s.answering_generation_id, s.answering_token, s.answering_until, s.closed_at
  into session
  from chat_sessions as s where s.id = the_session and s.user_id = the_person for update;
  select person.is_active, person.time_zone, person.last_activity_date into active, time_zone, last_active
  from users as person
  where person.id = the_person and person.erased_at is null
    and (person.token_version = the_version or not person.is_active);
  if not found then return; end if;

  if not active then
    refusal := 'inactive person';
  elsif session.id is null then
    select case when count(*) = 0 then 'no such session' else 'not theirs' end into refusal
    from chat_sessions where id = the_session;
  else
    select item.course_id, item.university_id, university.is_active, course.cache_enabled, course.llm_model, type.name as type, item.tutor_mode,
           module_access(item.module_id, the_person, moment, item.is_active, item.available_from, the_item => session.content_item_id) as gate,
           member.is_active is false as is_suspended,
           university.requires_own_provider and the_reach is null and not exists (
             select from user_university_roles where user_id = the_person and role = 'platform_admin'
           ) as needs_own_provider,
           exists (select from exams_that_silence(the_person, item.course_id, moment)) as is_silenced,
           (select mine.course_offering_id from current_offerings as mine
            where mine.user_id = the_person and mine.course_id = item.course_id) as offering
    into topic
    from content_items as item
    join content_types as type on type.id = item.content_type_id
    join courses as course on course.id = item.course_id
    join universities as university on university.id = item.university_id
    left join university_members as member on member.university_id = item.university_id and member.user_id = the_person
    where item.id = session.content_item_id;
    refusal := case
      when the_reach <> topic.university_id or the_course <> topic.course_id then 'out of reach'
      when topic.is_suspended then 'inactive person'
      when topic.needs_own_provider then 'own provider'
      when not topic.is_active then 'inactive university'
      when topic.gate is not null then topic.gate
      when topic.is_silenced then 'under exam'
    end;
  end if;
  if refusal is not null then
    return next;
    return;
  end if;

  if the_client_id is not null then
    select m.id, m.content, 'sent before' into message_id, content, refusal
    from chat_messages as m where m.session_id = the_session and m.client_message_id = the_client_id;
  end if;
  message_id := coalesce(message_id, the_question);
  content := coalesce(content, the_content);
  if message_id is not null then
    select reply.id, reply.created_at, reply.meta, coalesce(replayed.chunks, jsonb_build_array(reply.content)),
           coalesce(reply.question_key, replayed.question_key) is not null,
           case when reply.meta ? 'move' then reply.question end
    into answer_id, answered_at, meta, chunks, has_key, carried
    from chat_messages as reply
    left join cache_nodes as replayed on replayed.id = reply.cache_node_id and replayed.answer = reply.content
    where reply.in_reply_to_id = open_turn.message_id;
  end if;
  refusal := case
    when refusal is not null then refusal
    when answer_id is not null then 'answered'
    when message_id is null and session.closed_at is not null then 'closed'
    when session.answering_until > now()
      and (the_question is null or session.answering_message_id is distinct from the_question) then 'being answered'
    when time_zone <> the_zone then 'another time zone'
  end;
  if refusal is not null then
    return next;
    return;
  end if;

  -- An answer without a cursor has no path, and a session that has left the tree never comes back.
  if the_message = 'Start.' then
    message := the_message;
  elsif the_move is not null then
    select taken.refusal, taken.message, taken.parent_id, taken.move, taken.questions, taken.has_key
    into refusal, message, parent_id, move, questions, has_key
    from take_move(
      the_session, case when topic.cache_enabled and session.cache_state = 'tracking' then session.cache_node_id end,
      the_move, the_message, the_loose_message, the_question, is_offered) as taken;
    if refusal is not null then
      return next;
      return;
    end if;
  elsif the_message is not null and session.cache_node_id is not null then
    select case when again then stands.message
                when stands.choices is null then the_message
                else coalesce(stands.choices ->> the_message, stands.choices ->> the_loose_message) end,
           case when again then stands.parent_id else stands.id end, stands.question_key is not null
    into message, parent_id, has_asked_key
    from cache_nodes as stands
    left join cache_nodes as stood on stood.id = stands.parent_id
    cross join lateral (
      select coalesce(
        stands.message = coalesce(stood.choices ->> the_message, stood.choices ->> the_loose_message, the_message)
        and not coalesce(stands.choices ? the_message or stands.choices ? the_loose_message, false), false)
    ) as said (again)
    where stands.id = session.cache_node_id;
  elsif the_message is not null and topic.cache_enabled and session.cache_state = 'tracking' and is_offered is null then
    questions := questions_asked(the_session);
    if questions is not null then
      refusal := 'what was asked';
      return next;
      return;
    end if;
  end if;
  shared := message is not null and topic.cache_enabled and session.cache_state = 'tracking';
  university_id := topic.university_id;
  if session.prompt_id is null then
    select prompt.id, prompt.name, prompt.version, prompt.plain_fingerprint, prompt.uses_surroundings, prompt.config
    into tutor from tutor_prompt_of(topic.type, tutor_prompt) as prompt;
    -- For as long as its rollout runs: when that has ended the conversation goes on with what teaches all others.
    if session.rollout_arm = 'candidate' then
      select prompt.id, prompt.name, prompt.version, prompt.plain_fingerprint, prompt.uses_surroundings, prompt.config
      into candidate from prompt_rollouts as running join prompts as prompt on prompt.id = running.candidate_id
      where running.id = session.rollout_id and running.state = 'running' and running.base_id = tutor.id;
      if found then tutor := candidate; end if;
    end if;
  else
    select prompt.id, prompt.name, prompt.version, prompt.plain_fingerprint, prompt.uses_surroundings, prompt.config
    into tutor from prompts as prompt where prompt.id = session.prompt_id;
  end if;
  model := tutor_model(topic.llm_model, tutor.config, allowed_models, default_model);

  if shared then
    hash := sha256_hex(message);
    key := answer_key(session.item_fingerprint, session.surroundings_fingerprint, session.content_fingerprint,
                      tutor.uses_surroundings);
    select n.id, n.chunks, n.answer, n.question, n.question_key is not null into node, chunks, answer, question, has_key
    from cache_nodes as n
    where n.content_item_id = session.content_item_id
      and coalesce(n.parent_id, 0) = coalesce(open_turn.parent_id, 0)
      and n.message_hash = hash and n.prompt_name = tutor.name and n.prompt_version = tutor.version
      and n.model = open_turn.model and n.prompt_fingerprint = tutor.plain_fingerprint
      and n.content_fingerprint = key
    -- Which keeps it from being pruned or replaced until the cursor stands on it. One that is just being locked for
    -- that is not waited for while the session is held: it counts as a miss, and whoever claims the answer waits.
    for share skip locked;
    if node is null then
      select g.id into generation
      from generations as g
      where g.content_item_id = session.content_item_id and coalesce(g.parent_id, 0) = coalesce(open_turn.parent_id, 0)
        and g.message_hash = hash and g.prompt_name = tutor.name and g.prompt_version = tutor.version
        and g.model = open_turn.model and g.prompt_fingerprint = tutor.plain_fingerprint
        and g.content_fingerprint = key
        and g.state = 'writing' and g.question_id is null and g.lease_until > clock_timestamp();
      if generation is null and tutor.plain_fingerprint is not null then
        node := known_answer(
          session.content_item_id, open_turn.parent_id, message, hash, tutor.name, tutor.version, open_turn.model,
          tutor.plain_fingerprint, key, session.content_fingerprint, false);
        if node is not null then
          select n.chunks, n.answer, n.question, n.question_key is not null into chunks, answer, question, has_key
          from cache_nodes as n where n.id = node;
        end if;
      end if;
    end if;
    -- What waits for staff to approve it is told to nobody: who comes there meanwhile is answered in private.
    if node is not null and topic.tutor_mode = 'reviewed' and does_node_wait(node) then
      node := null;
      chunks := null;
      shared := false;
    end if;
  end if;

  if the_question is null then
    -- An assignment of what a function answers is no statement of its own, as `perform` is.
    last_active := record_activity(the_person, 'asked', 'content_item', session.content_item_id, topic.university_id,
      session.content_item_id, topic.offering, moment, today, last_active);
    -- What a class shares answers the node under the cursor, whose question may have no key.
    if not shared or has_asked_key is not false then
      step := record_step(
        the_session, the_person, session.content_item_id, topic.offering, the_message, the_loose_message);
    end if;
    message_id := nextval('chat_messages_id_seq');
  end if;
  if node is not null then
    answer_id := nextval('chat_messages_id_seq');
    answered_at := service_now();
    meta := jsonb_build_object(
      'source', 'cache', 'model', model, 'prompt_name', tutor.name, 'prompt_version', tutor.version,
      'latency_ms', milliseconds_since(statement_timestamp()), 'cache_node_id', node);
    if move is not null then
      meta := meta || jsonb_build_object('move', move);
      carried := question;
    end if;
    insert into cache_visits (node_id, hit) values (node, true);
    update chat_sessions
    set cache_node_id = node, updated_at = service_now(), answering_message_id = null, answering_since = null,
        answering_token = null, answering_generation_id = null, answering_until = null
    where id = the_session;
    insert into chat_messages (
      id, session_id, role, content, meta, in_reply_to_id, on_shared_path, cache_node_id, client_message_id, question)
    overriding system value
    select * from (values
      (open_turn.message_id, the_session, 'user', the_content, '{}'::jsonb, null::bigint, false, null::bigint,
       the_client_id, null::jsonb),
      (answer_id, the_session, 'assistant', answer, meta, open_turn.message_id, true, node, null, question)
    ) as said (id) where said.id is distinct from the_question;
  else
    token := the_token;
    if session.answering_message_id = the_question then
      token := (
        select case when not exists (
          select from generations as g where g.id = session.answering_generation_id and g.state = 'failed')
          then session.answering_token else the_token end);
    end if;
    -- What is on no path leaves the tree where answers are shared at all, unless it was asked before that path went; free
    -- text does in any case.
    with asked as (
      insert into chat_messages (id, session_id, role, content, client_message_id)
      overriding system value
      select open_turn.message_id, the_session, 'user', the_content, the_client_id where the_question is null
    )
    update chat_sessions as s
    set cache_state = case when the_message is null or (topic.cache_enabled and message is null and is_offered is not true)
                           then 'diverged'
                           else s.cache_state end,
        answering_since = case when s.answering_message_id = open_turn.message_id and s.answering_until > now()
                               then s.answering_since else now() end,
        answering_generation_id = coalesce(
          generation, case when s.answering_message_id = open_turn.message_id then s.answering_generation_id end),
        answering_message_id = open_turn.message_id, answering_token = token,
        answering_until = now() + listener_lease()
    where s.id = the_session;
    if generation is null and tutor.id is not null then
      reached := reached_prompts(array[tutor.id], 0, deepest);
      graph := json_build_object(
        'root', tutor.id, 'config', tutor.config, 'prompts', reached.prompts, 'links', reached.links);
    end if;
  end if;
  return next;
end;
$$;
--> statement-breakpoint
-- When something in a course opens for a person who comes to it by no offering: in the one of those in which they have a
-- seat where it opens first; with `offering`, in that one. `stated` is when it opens by the course, which holds for whoever
-- has no seat. Of an item, or of a module with null for the item; null is at any time.
create or replace function opens_for(
  person integer, the_course integer, offering integer, the_module integer, the_item integer, stated timestamptz
) returns timestamptz language sql stable as $$
  with recursive seat as (
    select run.id from course_offerings as run
    where run.course_id = the_course and case when offering is not null then run.id = offering else exists (
      select from enrollments as mine
      where mine.course_offering_id = run.id and mine.user_id = person and mine.is_admitted) end
  ), node (in_item, in_module, above_id, available_from) as (
    select the_item, null::integer, the_module, one.available_from from (select) as start
    left join content_items as one on one.id = the_item
    union all
    select null, above.id, above.parent_module_id, above.available_from
    from node join modules as above on above.id = node.above_id
  )
  select case when not exists (
      select from offering_dates as own where own.course_id = the_course and own.available_from is not null
      union all
      select from offering_group_dates as own where own.course_id = the_course and own.available_from is not null
    ) then stated else (
  select case when count(*) = 0 then stated else nullif(min(opening.moment), '-infinity') end
  from seat cross join lateral (
    select coalesce(max(coalesce((
        select min(dated.available_from) from groups_of(seat.id, person) as mine (id)
        join offering_group_dates as dated on dated.group_id = mine.id
        where dated.content_item_id = node.in_item or dated.module_id = node.in_module
      ), own.available_from, node.available_from)), '-infinity') as moment
    from node left join offering_dates as own on own.course_offering_id = seat.id
      and (own.content_item_id = node.in_item or own.module_id = node.in_module)
      and own.available_from is not null
  ) as opening) end
$$;
--> statement-breakpoint
-- Leaves a platform alone whose services do not answer: for a minute, then twice as long each time, an hour at most, or
-- for as long as it says. Of those who find so at once one counts.
create or replace function pause_lti_services(the_platform integer, seconds integer, why text, moment timestamptz)
returns void language sql as $$
  insert into lti_service_pauses as one (platform_id, until, tries, failure)
  select the_platform, moment + make_interval(secs => greatest(60, seconds)), 1, why
  where exists (select from lti_platforms where id = the_platform for key share)
  on conflict (platform_id) do update
    set until = moment + make_interval(secs => greatest(seconds, least(3600, 60 * 2 ^ least(one.tries, 10))::int)),
        tries = one.tries + 1, failure = excluded.failure
    where one.until <= moment
$$;
--> statement-breakpoint
-- When a batch of a warming is looked at next, in so many seconds.
create or replace function pause_warm_batch(the_batch bigint, seconds double precision) returns void language sql as $$
  update llm_batches set leased_until = clock_timestamp() + make_interval(secs => seconds)
  where id = the_batch and state in ('gathering', 'sending', 'sent')
$$;
--> statement-breakpoint
-- Who of the university's own people a record is about: by the external id, else by the address. Null for nobody.
create or replace function person_of_scim_user(record scim_users) returns integer language sql stable as $$
  select coalesce(
    (select account.id from sourced_people as known join users as account on account.id = known.user_id
     where known.university_id = record.university_id and known.sourced_id = record.external_id
       and is_own_person(record.university_id, account)),
    (select account.id from users as account
     where account.email = record.email and is_reached_by_address(account)
       and is_own_person(record.university_id, account)))
$$;
--> statement-breakpoint
-- Puts a person into a group as a `member` or as its `staff`, or has who is in it be the other. A word on why not: there is
-- no such group, it is not open to those who come by themselves, they have no place in the offering or are not staff there,
-- or it is full. Null where they are in it then. The last seat is taken once.
create or replace function put_into_group(
  the_group integer, person integer, wanted text, by_owner boolean, actor integer, moment timestamptz, request jsonb
) returns text language plpgsql as $$
declare
  here offering_groups := lock_group(the_group);
  refusal text;
begin
  refusal := case
    when here.id is null then 'missing'
    when by_owner and not here.self_enrollment then 'closed'
    when wanted = 'staff' and not is_staff_of_offering(person, here.course_offering_id) then 'not_staff'
    when wanted = 'member' and not exists (
      select from enrollments
      where user_id = person and course_offering_id = here.course_offering_id and is_admitted) then 'not_enrolled'
    when wanted = 'member' and here.capacity <= group_members_count(here.id, person) then 'full' end;
  if refusal is not null then return refusal; end if;
  insert into offering_group_members as one (group_id, course_offering_id, user_id, group_role, joined_at)
  values (here.id, here.course_offering_id, person, wanted, moment)
  on conflict on constraint offering_group_members_unique do update set group_role = excluded.group_role
    where one.group_role <> excluded.group_role;
  if not found then return null; end if;
  perform audit('group.member_added', actor, person, (select university_id from course_offerings where id = here.course_offering_id),
    jsonb_build_object('group_id', here.id, 'role', upper(wanted)), request);
  perform take_later_dates(here.course_offering_id, null, person, moment);
  return null;
end $$;
--> statement-breakpoint
-- What a session was asked last, or an aside that was asked nothing itself yet on its path: the answer that asked, its
-- question with the key and choices that its node has now, else its own, the node that held it, and how often the learner
-- asked for help since (moves, whose answers carry the question on). Null: nothing.
create or replace function question_to_answer(
  the_session bigint, out message_id bigint, out question jsonb, out question_key jsonb, out choices jsonb,
  out node_id bigint, out hints integer
) language plpgsql stable as $$
declare
  told record;
  node record;
  told_in bigint := the_session;
  before bigint;
begin
  hints := 0;
  -- One at a time: most were asked by the last one, and a query of many rows costs more to begin than this does to do.
  loop
    select m.id, m.question, m.question_key, m.choices, m.cache_node_id, m.meta ? 'move' as is_help into told
    from chat_messages as m
    where m.session_id = told_in and m.role = 'assistant' and m.question is not null
      and (before is null or m.id < before)
    order by m.id desc limit 1;
    if not found and message_id is null and told_in = the_session then
      select aside_of_id, path_end_id + 1 into told_in, before from chat_sessions
      where id = the_session and aside_of_id is not null;
      exit when not found;
      continue;
    end if;
    exit when told.id is null or message_id is not null and told.question is distinct from question_to_answer.question;
    message_id := told.id;
    question := told.question;
    question_key := told.question_key;
    choices := told.choices;
    node_id := told.cache_node_id;
    exit when not told.is_help;
    hints := hints + 1;
    before := told.id;
  end loop;
  if node_id is null then return; end if;
  select n.question, n.question_key, n.choices into node from cache_nodes as n where n.id = node_id;
  if found and (node.question = question_to_answer.question or is_same_question(node.question, question_to_answer.question)) then
    question_key := node.question_key;
    choices := node.choices;
  end if;
end $$;
--> statement-breakpoint
-- When an attempt ends that a person began then: when its time is up, or the quiz closes. What they are given at that moment
-- lengthens the time, and the closing by as much for whoever began before it.
create or replace function quiz_deadline(
  the_item integer, the_offering integer, person integer, started timestamptz, moment timestamptz
) returns timestamptz language sql stable as $$
  select least(started + rules.time_limit, rules.closes_at + coalesce(
    rules.time_limit * (1 - 1 / given.time_factor)::float8, interval '0'))
  from quiz_rules(the_item, the_offering, person, moment) as rules
  left join lateral accommodation_of(person, rules.university_id, moment) as given on true
$$;
--> statement-breakpoint
-- How a quiz is for a person: what holds for them there, how many attempts they have taken, which one is open, and in
-- `refusal` why they can neither start nor go on with one, in the words of `start_quiz_attempt`. No row: there is no such
-- quiz.
create or replace function quiz_of_person(person integer, offering integer, item integer, moment timestamptz)
returns table (
  refusal text, is_exam boolean, passing_percent double precision, time_limit_seconds integer, closes_at timestamptz,
  max_attempts integer, attempts_taken integer, open_attempt_id bigint
) language sql stable as $$
  select coalesce(item_access(item, person, moment), case
           when not exists (
             select from enrollments
             where user_id = person and course_offering_id = offering and is_admitted
           ) then 'not enrolled'
           when open_one.id is null
           then no_attempt_because(taken.count, rules.most_attempts, rules.closes_at, rules.question_pool_id, moment)
         end),
         rules.is_exam, rules.passing_percent::float8, extract(epoch from rules.time_limit)::int, rules.closes_at,
         rules.most_attempts, taken.count, open_one.id
  from quiz_rules(item, offering, person, moment) as rules
  cross join lateral attempts_taken(person, item, offering) as taken (count)
  left join lateral (
    select one.id from quiz_attempts as one
    where one.user_id = person and one.course_offering_id = offering and one.content_item_id = item
      and one.submitted_at is null and not is_over(one, moment)
  ) as open_one on true
$$;
--> statement-breakpoint
-- What holds for a person in a quiz: what its item says, and in its place what they are granted. Without a limit of
-- attempts an exam may be taken once, and a practice again and again; without a date an exam, like what shows its
-- answers when it is due, is due when the offering ends. What the university gives them (accommodations.sql) at that moment
-- lengthens the limit, and adds its days. No row: the offering's course has no such quiz.
create or replace function quiz_rules(
  the_item integer, the_offering integer, person integer, moment timestamptz default service_now()
) returns table (
  question_pool_id integer, university_id integer, is_exam boolean, is_random boolean, draws integer,
  time_limit interval, closes_at timestamptz, most_attempts integer, passing_percent numeric, correct_in_row integer
) language sql stable as $$
  select pool_of_quiz(data), offering.university_id,
         coalesce(data ->> 'quiz_mode' = 'exam', false), data -> 'randomize_order' = 'true',
         coalesce(clamped(json_number(data -> 'num_questions_per_attempt'), 1, 100), 100)::int,
         seconds * coalesce(given.time_factor, 1) * interval '1 second',
         coalesce(dates.closes_at,
                  case when data ->> 'quiz_mode' = 'exam' or data ->> 'show_answers' = 'after_due'
                       then with_extra_days(offering.ends_at, person, offering.university_id) end),
         coalesce(granted.max_attempts,
                  clamped(json_number(data #> '{mastery,max_attempts}'), 1, 1000000)::int,
                  case data ->> 'quiz_mode' when 'exam' then 1 end),
         passing_percent_of_quiz(data),
         clamped(json_number(data #> '{mastery,threshold_correct_in_row}'), 0, 100)::int
  from course_offerings as offering
  join content_items as item on item.id = the_item and item.course_id = offering.course_id
  join content_types as type on type.id = item.content_type_id and type.name = 'quiz'
  left join quiz_overrides as granted
    on granted.course_offering_id = offering.id and granted.content_item_id = item.id and granted.user_id = person
  cross join lateral (
    select item.data_json as data, coalesce(
      granted.time_limit_seconds,
      case when json_number(item.data_json -> 'time_limit_seconds') > 0
           then least(31536000, json_number(item.data_json -> 'time_limit_seconds')) end)::int as seconds
  ) as stated
  cross join lateral item_dates(offering.id, person, array[item.id]) as dates
  left join lateral accommodation_of(person, offering.university_id, moment) as given on true
  where offering.id = the_offering
$$;
--> statement-breakpoint
drop function record_activity(integer,text,text,bigint,integer,integer,integer,timestamp with time zone,date,date);
--> statement-breakpoint
-- Records what a person did to learn, beside the thing itself, so that neither happens without the other: one event,
-- and their streak. The streak counts days in the person's own time zone, where `moment` is on the day `today`: the
-- same day keeps it, the next adds one, a gap starts again at 1. A day before the last active one (a clock set back, a
-- move west) keeps it as well. Whoever has read their last active day says so: on the same day there is nothing to look up.
-- Answers their last active day, which is then this one or a later one.
--
-- Locks: the person, when the day is new to them.
create or replace function record_activity(
  person integer, verb text, object_type text, object_id bigint, university integer, content_item integer,
  offering integer, moment timestamptz, today date, last_active date default null
) returns date language plpgsql as $$
begin
  insert into activity_events
    (user_id, verb, object_type, object_id, university_id, content_item_id, course_offering_id, occurred_at)
  values (person, verb, object_type, object_id, university, content_item, offering, moment);
  if last_active is null or last_active < today then
    update users
    set current_streak_days = case when last_activity_date = today - 1 then current_streak_days + 1 else 1 end,
        last_activity_date = today
    where id = person and (last_activity_date is null or last_activity_date < today);
  end if;
  return greatest(last_active, today);
end $$;
--> statement-breakpoint
-- Records a message that answers the question which its session, that is held, was asked last, where that has a key:
-- `the_message` and `the_loose_message` as `open_turn` has them. What is no option is no step, and neither is the same
-- answer to the same message again. Of two at once, in two conversations, one is the later try: whoever finds its number
-- taken looks again. Answers 'right' or 'wrong', by the key of now; null: no step.
create or replace function record_step(
  the_session bigint, person integer, the_item integer, the_offering integer, the_message text, the_loose_message text
) returns text language plpgsql as $$
declare
  asked record;
  chosen text;
  held record;
  tried record;
begin
  if the_message is null or the_message = 'Start.' then return null; end if;
  asked := question_to_answer(the_session);
  if asked.question_key is null then return null; end if;
  chosen := coalesce(asked.choices ->> the_message, asked.choices ->> the_loose_message);
  if chosen is null or not starts_with(chosen, '{') then return null; end if;
  chosen := chosen::jsonb ->> 'answer';
  held := hold_question(the_item, asked.node_id, asked.question, asked.question_key);
  loop
    select coalesce(max(try_number), 0) as times, bool_or(asked_message_id = asked.message_id and choice = chosen) as again
    into tried
    from tutor_steps where user_id = person and content_item_id = the_item and question_hash = held.hash;
    if tried.again then return null; end if;
    insert into tutor_steps (
      user_id, course_offering_id, content_item_id, question_id, question_hash, asked_message_id, choice, try_number, hints)
    values (
      person, the_offering, the_item, held.id, held.hash, asked.message_id, chosen, tried.times + 1, asked.hints)
    on conflict (user_id, content_item_id, question_hash, try_number) do nothing;
    exit when found;
  end loop;
  return case when chosen = asked.question_key ->> 'answer' then 'right' else 'wrong' end;
end $$;
--> statement-breakpoint
-- Reminds those of up to `most` such items who have still to do them by then, as `items_to_do` says; answers of how many.
-- For whom it is due at another time they are reminded of that.
create or replace function remind_of_due(moment timestamptz, ahead interval, most integer) returns integer
language plpgsql as $$
declare
  soon record;
  reminded integer := 0;
begin
  for soon in select * from items_due_soon(moment, ahead) order by offering, item limit most loop
    insert into due_reminders (course_offering_id, content_item_id, due_at)
    values (soon.offering, soon.item, soon.due) on conflict do nothing;
    if found then
      perform notify(array(
        select taking.user_id from enrollments as taking
        where taking.course_offering_id = soon.offering and taking.status = 'active' and not exists (
          select from user_content_progress as done
          where done.user_id = taking.user_id and done.course_offering_id = soon.offering
            and done.content_item_id = soon.item and done.completed_at is not null
        ) and exists (
          select from item_dates(soon.offering, taking.user_id, array[soon.item]) where due_at = soon.due
        ) and can_be_tried(soon.item, soon.offering, taking.user_id, moment) and coalesce((
          select work.status <> 'submitted' from lab_submissions as work
          where work.user_id = taking.user_id and work.course_offering_id = soon.offering
            and work.content_item_id = soon.item
          order by work.attempt_number desc limit 1
        ), true)
      ), 'due_soon', 'item:' || soon.item || ':' || extract(epoch from soon.due), moment, soon.offering, soon.item,
         due => soon.due);
    end if;
    reminded := reminded + 1;
  end loop;
  return reminded;
end $$;
--> statement-breakpoint
create or replace function rename_member() returns trigger language plpgsql as $$
begin
  update university_members
  set (full_name, email, search_text, created_at) =
    (new.full_name, coalesce(new.email, ''), coalesce(new.search_text, ''), new.created_at)
  where user_id = new.id;
  return null;
end $$;
--> statement-breakpoint
-- Has the grades of these people, or of everyone in the offering, sent again, also those that an LMS has taken. False
-- where it has no column in one.
create or replace function resend_lti_scores(offering integer, people integer[]) returns boolean language plpgsql as $$
begin
  if not has_lti_columns(offering) then return false; end if;
  insert into lti_score_marks (course_offering_id, user_id, is_forced)
  select offering, seat.user_id, true from enrollments as seat
  where seat.course_offering_id = offering and seat.is_admitted and seat.user_id = any (people);
  if people is null then
    insert into lti_score_marks (course_offering_id, is_forced)
    select offering, true
    where not exists (
      select from lti_score_marks
      where course_offering_id = offering and user_id is null and content_item_id is null and is_forced
        and after_person_id = 0);
  end if;
  return true;
end $$;
--> statement-breakpoint
-- Takes back what is offered for a record.
create or replace function revoke_scim_offer(record scim_users, request jsonb) returns void language sql as $$
  update invitations set revoked_at = sent_at(request)
  where university_id = record.university_id and email = record.email and source = 'directory'
    and accepted_at is null and revoked_at is null
$$;
--> statement-breakpoint
-- A date that an offering says, under its name: without a key where it says none, and null where it says that there is none.
create or replace function said_as_json(name text, moment timestamptz) returns jsonb language sql immutable as $$
  select case when moment is null then '{}'
              else jsonb_build_object(name, answered_moment(case when isfinite(moment) then moment end)) end
$$;
--> statement-breakpoint
-- What a line of the list of `set_offering_dates` says: nothing where it has no such key, and none of null.
create or replace function said_date(line jsonb, key text, no_date timestamptz) returns timestamptz
language sql stable as $$
  select case when line ? key then coalesce((line ->> key)::timestamptz, no_date) end
$$;
--> statement-breakpoint
-- A date that is said, that many days later; none stays none.
create or replace function said_later(moment timestamptz, days integer, zone text) returns timestamptz
language sql stable as $$
  select case when isfinite(moment) then days_later(moment, days, zone) else moment end
$$;
--> statement-breakpoint
-- The members of a group as SCIM names them.
create or replace function scim_members_of(the_group integer) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object('value', record.id::text) order by record.id), '[]')
  from scim_group_members as member join scim_users as record on record.id = member.scim_user_id
  where member.group_id = the_group
$$;
--> statement-breakpoint
-- Whether the right answers of an attempt would serve its taker in another that counts, and is or can be under way: at
-- the same quiz, or at one that has opened and draws from a pool of the same questions, in an offering in which they have
-- a seat, or may take one up again that they gave up or wait for. After a final grade nothing counts.
create or replace function serves_another_attempt(attempt quiz_attempts, moment timestamptz) returns boolean
language sql stable as $$
  select exists (
    select
    from (
      select item.id, item.course_id
      from (
        select distinct asked.question_pool_id as id
        from quiz_attempt_questions as drawn join questions as asked on asked.id = drawn.question_id
        where drawn.quiz_attempt_id = attempt.id
      ) as pool
      join content_items as item on pool_of_quiz(item.data_json) = pool.id
      union
      select own.id, own.course_id from content_items as own where own.id = attempt.content_item_id
    ) as quiz
    join course_offerings as run on run.course_id = quiz.course_id
    join enrollments as mine on mine.course_offering_id = run.id and mine.user_id = attempt.user_id
    where type_of_item(quiz.id) = 'quiz' and (mine.is_admitted or not is_list_closed(run, moment))
      and does_quiz_count(quiz.id, run.id) and not is_grade_final(run.id, attempt.user_id)
      and can_be_tried(quiz.id, run.id, attempt.user_id, moment)
      and (quiz.id = attempt.content_item_id
        or is_item_public(quiz.id) and coalesce((
          select opens_at <= moment from item_dates(run.id, attempt.user_id, array[quiz.id])), true))
  )
$$;
--> statement-breakpoint
-- Moves an enrollment to another status, `wanted` null for none, as its owner, as staff, or, with `by_owner` null, as an LMS
-- that gave it. The owner takes a place up, or waits for one, only as
-- if enrolling anew, leaves the waiting list for nothing but `dropped`, and completes it on their own word alone; staff
-- may overfill an offering, and confirm such a word, and give a second seat in a course and term, which the audit log is
-- told with `staff` and `request`. Whoever goes to the waiting list stands at its end, and a place that is left goes to
-- the next in line.
create or replace function set_enrollment_status(
  moved integer, wanted text, by_owner boolean, moment timestamptz, staff integer default null,
  request jsonb default null
) returns table (refusal text, missing text, enrollment enrollments, waits_at integer) language plpgsql as $$
declare
  run course_offerings;
  former text;
  confirms boolean;
  is_double boolean;
begin
  perform lock_course_key_shared(course_offering_id) from enrollments where id = moved;
  select course_offerings.* into run
  from enrollments join course_offerings on course_offerings.id = course_offering_id
  where enrollments.id = moved for no key update of course_offerings;
  select * into enrollment from enrollments where id = moved for no key update;
  former := enrollment.status;
  confirms := wanted = 'completed' and not by_owner and enrollment.completion_source = 'self';
  if wanted <> former and by_owner and former = 'waitlisted' and wanted <> 'dropped' then
    refusal := 'waiting';
  elsif wanted <> former and by_owner and (wanted = 'active' or wanted = 'waitlisted' and former <> 'active') then
    select * into refusal, missing from refusal_to_enroll(run, enrollment.user_id, moment);
    if refusal is distinct from 'not_open' then
      refusal := coalesce(refusal_of_mode(run, null), refusal);
    end if;
    if refusal is null and wanted = 'active' and is_full(run) then refusal := 'full'; end if;
  end if;
  is_double := wanted = 'active' and former <> 'active' and has_seat_elsewhere(run, enrollment.user_id, moment);
  if is_double and by_owner then refusal := coalesce(refusal, 'enrolled_in_course'); end if;
  if wanted <> former and wanted in ('active', 'pending', 'waitlisted') then
    refusal := coalesce(refusal_of_inactive(run.university_id, enrollment.user_id), refusal);
  end if;
  if (wanted <> former or confirms) and refusal is null then
    update enrollments set
      status = wanted,
      is_dropped_by_staff = wanted = 'dropped' and not coalesce(by_owner, true),
      completed_at = case when wanted = 'completed' then coalesce(completed_at, moment) end,
      completion_source = case when wanted = 'completed' then case when by_owner then 'self' else 'staff' end end,
      enrolled_at = case when wanted = 'waitlisted' then end_of_waiting_list(run.id, moment)
                           else enrolled_at end
    where id = moved returning enrollments.* into enrollment;
    if former = 'active' then perform free_seat(run.id, enrollment.user_id, moment, moved); end if;
    if is_double then
      perform audit('enrollment.changed', staff, enrollment.user_id, run.university_id, jsonb_build_object(
        'course_offering_id', run.id, 'status', wanted, 'passed', 'enrolled_in_course'), request);
    end if;
  end if;
  waits_at := position_in_line(enrollment);
  return next;
end $$;
--> statement-breakpoint
-- Suspends a person, or restores what they have: which is what it was. Whom staff suspend no directory restores (scim.sql).
-- False for who has nothing there to suspend.
create or replace function set_member_active(
  university integer, person integer, wanted boolean, actor integer, request jsonb
) returns boolean language plpgsql as $$
begin
  if not exists (select from known_at(person) as known where known.university_id = university) then
    return false;
  end if;
  update university_members set is_active = wanted, suspended_by_directory = false
  where university_id = university and user_id = person and (is_active <> wanted or suspended_by_directory);
  if found then
    perform audit(case when wanted then 'member.restored' else 'member.suspended' end, actor, person, university, '{}',
                  request);
  end if;
  return true;
end $$;
--> statement-breakpoint
-- Has an offering say these dates: `[{"content_item_id" | "module_id", "available_from", "due_at"}, …]`, each of them of
-- another item or module, all that it says of that from then on. A key that is absent is left to the course, null is none.
-- What is not in the list stays. `missing` is the place of the first, from 0, that its course does not have, and then nothing
-- was set; else the calendar is answered as it is then. With a group it is said for that, and absent is left to the offering.
create or replace function set_offering_dates(
  the_offering integer, lines jsonb, moment timestamptz, of_group integer default null,
  out missing integer, out calendar jsonb
) language plpgsql as $$
declare
  the_course integer;
begin
  perform lock_grades(the_offering);
  select course_id into the_course from course_offerings where id = the_offering;
  missing := first_line_elsewhere(lines, the_course);
  if missing is not null then return; end if;
  if of_group is null then
    delete from offering_dates as own using jsonb_array_elements(lines) as line (said)
    where own.course_offering_id = the_offering and (
      own.content_item_id = (said ->> 'content_item_id')::integer or own.module_id = (said ->> 'module_id')::integer);
    insert into offering_dates (
      course_id, course_offering_id, content_item_id, module_id, available_from, due_at, updated_at)
    select the_course, the_offering, (said ->> 'content_item_id')::integer, (said ->> 'module_id')::integer,
           said_date(said, 'available_from', '-infinity'), said_date(said, 'due_at', 'infinity'), moment
    from jsonb_array_elements(lines) as line (said)
    where said ?| '{available_from,due_at}';
  else
    delete from offering_group_dates as own using jsonb_array_elements(lines) as line (said)
    where own.group_id = of_group and (
      own.content_item_id = (said ->> 'content_item_id')::integer or own.module_id = (said ->> 'module_id')::integer);
    insert into offering_group_dates (
      course_id, course_offering_id, group_id, content_item_id, module_id, available_from, due_at, updated_at)
    select the_course, the_offering, one.id, (said ->> 'content_item_id')::integer, (said ->> 'module_id')::integer,
           said_date(said, 'available_from', '-infinity'), said_date(said, 'due_at', 'infinity'), moment
    from jsonb_array_elements(lines) as line (said) join offering_groups as one on one.id = of_group
    where said ?| '{available_from,due_at}';
  end if;
  perform take_later_dates(the_offering, items_of_lines(lines), null, moment);
  calendar := offering_calendar(the_offering, of_group => of_group);
end $$;
--> statement-breakpoint
-- Suspends the person of a record, or restores whom the directory suspended: whom staff suspended they alone restore.
create or replace function settle_scim_activity(record scim_users, actor integer, request jsonb) returns void
language plpgsql as $$
begin
  update university_members set is_active = record.is_active, suspended_by_directory = not record.is_active
  where university_id = record.university_id and user_id = record.user_id and is_active <> record.is_active
    and (not record.is_active or suspended_by_directory);
  if found then
    perform audit(case when record.is_active then 'member.restored' else 'member.suspended' end, actor, record.user_id,
                  record.university_id, '{"directory": true}', request);
  end if;
end $$;
--> statement-breakpoint
-- Settles what members of a group get, where it gives anything.
create or replace function settle_scim_members(one scim_groups, members integer[], actor integer, request jsonb)
returns void language plpgsql as $$
begin
  if members = '{}' then return; end if;
  perform from scim_users where id = any (members) order by id for no key update;
  perform settle_scim_roles(one.university_id, members, actor, request);
end $$;
--> statement-breakpoint
-- Writes what a record says of its person: their names there, unless another source wrote them, their id, and the name and
-- address of an account that the university made and nobody has entered.
create or replace function settle_scim_names(record scim_users) returns void language plpgsql as $$
declare
  names jsonb := record.attributes -> 'name';
begin
  if num_nonnulls(names ->> 'givenName', names ->> 'familyName') > 0 then
    update university_members as member
    set given_name = names ->> 'givenName', family_name = names ->> 'familyName', source = 'directory'
    where member.university_id = record.university_id and member.user_id = record.user_id
      and coalesce(member.source, 'directory') = 'directory'
      and (member.given_name, member.family_name, member.source)
        is distinct from (names ->> 'givenName', names ->> 'familyName', 'directory');
  end if;
  insert into sourced_people (university_id, sourced_id, user_id)
  select record.university_id, record.external_id, record.user_id where record.external_id is not null
  on conflict do nothing;
  if is_made_by(record.university_id, record.user_id) then
    update users set full_name = record.full_name, updated_at = service_now()
    where id = record.user_id and full_name <> record.full_name;
    update users set email = record.email, updated_at = service_now()
    where id = record.user_id and record.email is not null and email <> record.email
      and not exists (select from users as other where other.email = record.email);
  end if;
end $$;
--> statement-breakpoint
-- Gives the people of records the roles of their groups that an administrator has mapped, that of a student where there are
-- none, and takes those back that the directory gave and gives no longer. Whoever calls it holds the records.
create or replace function settle_scim_roles(university integer, records integer[], actor integer, request jsonb)
returns void language plpgsql as $$
declare
  changed_roles integer;
begin
  with wanted as materialized (
    select distinct record.user_id, coalesce(mapped.role, 'student') as role
    from scim_users as record
    left join (
      select member.scim_user_id, one.role
      from scim_group_members as member join scim_groups as one on one.id = member.group_id
      where member.scim_user_id = any (records) and one.role is not null
    ) as mapped on mapped.scim_user_id = record.id
    where record.id = any (records) and record.user_id is not null
  ), gone as (
    delete from user_university_roles as held using scim_users as record
    where record.id = any (records) and held.user_id = record.user_id and held.university_id = university
      and held.by_directory and not exists (
        select from wanted where wanted.user_id = held.user_id and wanted.role = held.role)
    returning held.user_id, held.role
  ), given as (
    insert into user_university_roles (user_id, university_id, role, by_directory)
    select wanted.user_id, university, wanted.role, true from wanted
    where not exists (
      select from user_university_roles as held
      where held.user_id = wanted.user_id and held.university_id = university and held.role = wanted.role
        and held.department_id is null)
    order by wanted.user_id, wanted.role
    on conflict do nothing returning user_university_roles.user_id, user_university_roles.role
  )
  -- PostgreSQL calls what is counted, and would call nothing that is read by nobody.
  select count(*) into changed_roles from (
    select 'role.revoked' as action, gone.* from gone union all select 'role.granted', given.* from given
  ) as changed cross join lateral audit(
    changed.action, actor, changed.user_id, university, jsonb_build_object('role', changed.role, 'directory', true),
    request);
end $$;
--> statement-breakpoint
-- Signs in whom an assertion names that was verified, once: of two who send it at once the later is refused. The refusals
-- are those of `sign_in_by_university`, and `replayed`. Whoever has no such role yet is given it, if there is one.
create or replace function sign_in_by_assertion(
  the_provider integer, assertion_hash text, the_subject text, address text, name text, the_role text, seen jsonb,
  request jsonb, out refusal text, out person integer, out version integer
) language plpgsql as $$
declare
  university integer;
begin
  if not take_once('assertion of identity provider ' || the_provider || ' ' || assertion_hash, sent_at(request)) then
    refusal := 'replayed';
    return;
  end if;
  select signed.refusal, signed.person, signed.version into refusal, person, version
  from sign_in_by_university(the_provider, the_subject, address, name, request) as signed;
  if refusal is null and the_role in ('ta', 'instructor') then
    university := (select university_id from identity_providers where id = the_provider);
    insert into user_university_roles (user_id, university_id, role) values (person, university, the_role)
    on conflict do nothing;
    if found then
      perform audit('role.granted', person, person, university,
                    jsonb_build_object('role', the_role, 'identity_provider_id', the_provider), request);
    end if;
  end if;
  perform note_saml_attributes(the_provider, seen, sent_at(request));
end $$;
--> statement-breakpoint
-- Starts a person's next attempt at a quiz, or answers the one that is open. Its questions are drawn once, and with
-- them the order of everything. Starts of one person at one quiz wait for each other, in whatever offerings: what one
-- took is counted by the next. `refusal` says why there is none: one of `work_access` (outline.sql), 'not enrolled',
-- 'closed', 'no attempt left' or 'no questions'.
create or replace function start_quiz_attempt(
  person integer, offering integer, item integer, moment timestamptz, today date
) returns table (refusal text, is_new boolean, attempt jsonb) language plpgsql as $$
#variable_conflict use_column
declare
  rules record;
  mine quiz_attempts;
begin
  is_new := false;
  perform lock_item_type_shared(item);
  perform lock_grades_shared(offering);
  perform pg_advisory_xact_lock(hashtextextended('attempts of ' || person || ' at a quiz', item));
  select * into rules from quiz_rules(item, offering, person, moment);
  refusal := case
    when not found then 'hidden'
    when work_access(item, person, offering, moment) is not null then work_access(item, person, offering, moment)
    when not exists (
      select from enrollments
      where user_id = person and course_offering_id = offering and is_admitted
    ) then 'not enrolled'
  end;
  if refusal is null then
    select * into mine from quiz_attempts as one
    where user_id = person and course_offering_id = offering and content_item_id = item and submitted_at is null;
    if found and not is_over(mine, moment) then
      attempt := quiz_attempt_with_keys(mine, moment);
      return next;
      return;
    end if;
    perform close_quiz_attempt(mine.id, moment);
    refusal := no_attempt_because(
      attempts_taken(person, item, offering), rules.most_attempts, rules.closes_at, rules.question_pool_id, moment);
  end if;
  if refusal is not null then
    return next;
    return;
  end if;

  is_new := true;
  insert into quiz_attempts (
    user_id, course_offering_id, content_item_id, attempt_number, is_exam, started_at, due_at, passing_percent,
    correct_in_row)
  select person, offering, item, coalesce(max(attempt_number), 0) + 1, rules.is_exam, moment,
         quiz_deadline(item, offering, person, moment, moment), rules.passing_percent, rules.correct_in_row
  from quiz_attempts where user_id = person and course_offering_id = offering and content_item_id = item
  returning * into mine;
  insert into quiz_attempt_questions (quiz_attempt_id, position, question_id, version, graded_version, option_ids)
  select mine.id, row_number() over (order by place, id), id, version, version, (
      select array_agg(option.value ->> 'id' order by case when rules.is_random then random() end, option.number)
      from jsonb_array_elements(options_json) with ordinality as option (value, number))
  from (
    select id, version, options_json, case when rules.is_random then random() end as place
    from questions where question_pool_id = rules.question_pool_id and is_active
    order by random() limit rules.draws
  ) as chosen;
  update quiz_attempts set max_score = (
    select sum(points)
    from quiz_attempt_questions as drawn join question_versions as asked using (question_id, version)
    where drawn.quiz_attempt_id = mine.id
  ) where id = mine.id returning * into mine;
  perform begin_item(person, offering, item, moment, moment);
  perform record_activity(person, 'attempted', 'content_item', item, rules.university_id, item, offering, moment, today);
  attempt := quiz_attempt_with_keys(mine, moment);
  return next;
end $$;
--> statement-breakpoint
-- What an offering, and what its course says of each module and item of the course, of each alone and as it is kept: null
-- of the offering is not said, and infinity none (schema/db/offering-dates.ts). With a group it is what is said for that in
-- place of the offering, and what holds without it in place of the course.
create or replace function stated_dates(offering integer, of_group integer default null)
returns table (
  module_id integer, content_item_id integer, opens_at timestamptz, due_at timestamptz,
  course_opens_at timestamptz, course_due_at timestamptz
) language sql stable as $$
  with node (module_id, content_item_id, available_from, due_at) as (
    select one.id, null::integer, one.available_from, one.due_at
    from course_offerings as run join modules as one on one.course_id = run.course_id where run.id = offering
    union all
    select null, one.id, one.available_from, one.due_at
    from course_offerings as run join content_items as one on one.course_id = run.course_id where run.id = offering
  )
  select node.module_id, node.content_item_id,
         case when of_group is null then run.available_from else mine.available_from end,
         case when of_group is null then run.due_at else mine.due_at end,
         case when of_group is null then node.available_from else coalesce(run.available_from, node.available_from) end,
         case when of_group is null then node.due_at else coalesce(run.due_at, node.due_at) end
  from node
  left join offering_dates as run on run.course_offering_id = offering
    and coalesce(run.content_item_id, -run.module_id) = coalesce(node.content_item_id, -node.module_id)
  left join offering_group_dates as mine on mine.group_id = of_group
    and coalesce(mine.content_item_id, -mine.module_id) = coalesce(node.content_item_id, -node.module_id)
$$;
--> statement-breakpoint
create or replace function stop_trial(the_trial bigint) returns setof trials language plpgsql as $$
declare
  stopped trials;
begin
  update trials set state = 'stopped', ended_at = service_now() where id = the_trial and state in ('ready', 'running')
  returning * into stopped;
  if not found then return; end if;
  update trial_cases set
    state = case stage when 'answer' then 'skipped' else 'answered' end,
    reason = case stage when 'answer' then 'stopped' end,
    unjudged_reason = case when stage <> 'answer' then 'stopped' end
  where trial_id = the_trial and state = 'waiting';
  -- Its batch is cancelled at once.
  update llm_batches set leased_until = clock_timestamp()
  where trial_id = the_trial and state in ('gathering', 'sending', 'sent') and token is null;
  return next stopped;
end $$;
--> statement-breakpoint
-- Has what is under way, or was handed in, in an offering take a date that is later than its own; an earlier one changes
-- neither. Of these items and of this person, or of all with null. An attempt that had no deadline gets one.
create or replace function take_later_dates(
  the_offering integer, items integer[], person integer, moment timestamptz
) returns void language plpgsql as $$
begin
  update quiz_attempts as mine
  set due_at = case when mine.due_at is null then greatest(mine.started_at, later.due_at)
                    when later.due_at is not null then greatest(mine.due_at, later.due_at) end
  from (
    select one.id,
           quiz_deadline(one.content_item_id, one.course_offering_id, one.user_id, one.started_at, moment) as due_at
    from quiz_attempts as one
    where one.course_offering_id = the_offering and one.submitted_at is null and not is_over(one, moment)
      and (items is null or one.content_item_id = any (items)) and (person is null or one.user_id = person)
    order by one.id for update of one
  ) as later
  where mine.id = later.id and mine.due_at is distinct from later.due_at;
  update lab_submissions as work
  set due_at = later.due_at, is_late = coalesce(work.submitted_at > later.due_at, false)
  from (
    select one.id, dates.due_at
    from lab_submissions as one
    cross join lateral item_dates(one.course_offering_id, one.user_id, array[one.content_item_id]) as dates
    where one.course_offering_id = the_offering and one.due_at is not null
      and (items is null or one.content_item_id = any (items)) and (person is null or one.user_id = person)
    order by one.id for update of one
  ) as later
  where work.id = later.id and (later.due_at is null or later.due_at > work.due_at);
end $$;
--> statement-breakpoint
-- Exchanges the code of a launch, once: whoever deletes its row has it, and nobody else. `proof` is the hash of the key
-- that the page says it made; where the launch was handed such a hash, they have to be the same. No row: there is no such
-- code any more, or its person is gone or inactive.
create or replace function take_lti_code(the_code text, proof text, request jsonb)
returns table (person integer, version integer, launch jsonb) language plpgsql as $$
declare
  taken lti_launch_codes;
begin
  delete from lti_launch_codes as one
  where one.code_hash = the_code and one.expires_at > sent_at(request) and coalesce(one.challenge = proof, one.challenge is null)
  returning one.* into taken;
  if taken.code_hash is null then return; end if;
  select one.id, one.token_version, taken.launch into person, version, launch
  from users as one where one.id = taken.user_id and one.is_active and one.erased_at is null;
  if person is null then return; end if;
  perform audit('sign_in', person, person, (taken.launch ->> 'university_id')::int,
    jsonb_build_object('lti_platform_id', taken.platform_id), request);
  return next;
end $$;
--> statement-breakpoint
-- Takes people of a roster, `[{"subject", "name", "email", "sourced_id", "role"}, …]`, and answers what became of each:
-- `enrolled`, `staff`, `unchanged`, `kept_dropped`, whom staff have dropped, `awaiting_sign_in`, whose account only they can say
-- is theirs, or `refused`. With `dry` it is undone.
create or replace function take_lti_members(the_context integer, members jsonb, dry boolean, request jsonb)
returns table (subject text, outcome text) language plpgsql as $$
declare
  bound lti_contexts;
  told jsonb;
  met record;
  refusal text;
  taken jsonb := '[]';
begin
  begin
    select * into bound from lti_contexts where id = the_context;
    if not found then return; end if;
    perform lock_course_key_shared(bound.course_offering_id);
    perform from course_offerings where id = bound.course_offering_id for no key update;
    for told in select value from jsonb_array_elements(members) as one (value) loop
      select * into met from find_lti_person(bound.platform_id, told, request);
      refusal := met.refusal;
      if refusal is null and not has_lti_role(bound, met.person, told ->> 'role') then
        refusal := coalesce(give_lti_role(bound, met.person, told ->> 'role', 'roster', request),
          case when told ->> 'role' = 'student' then 'enrolled' else 'staff' end);
      end if;
      taken := taken || jsonb_build_object('subject', told ->> 'subject', 'outcome', case
        when refusal is null then 'unchanged'
        when refusal in ('enrolled', 'staff') then refusal
        when refusal = 'dropped' then 'kept_dropped'
        when refusal = 'sign_in' then 'awaiting_sign_in'
        else 'refused' end);
    end loop;
    if dry then raise exception using errcode = 'UNDO0'; end if;
  exception when sqlstate 'UNDO0' then null;
  end;
  return query select one.subject, one.outcome from jsonb_to_recordset(taken) as one (subject text, outcome text);
end $$;
--> statement-breakpoint
-- Takes the seat that a bound course of an LMS gave, unless another gave it too, or the person is through. Under the
-- locks of give_lti_role.
create or replace function take_lti_seat(bound lti_contexts, person integer, request jsonb) returns void
language plpgsql as $$
declare
  given integer := (
    select mine.id from enrollments as mine join lti_enrollments as one on one.enrollment_id = mine.id
    where mine.course_offering_id = bound.course_offering_id and mine.user_id = person and one.context_id = bound.id);
begin
  if given is null then return; end if;
  delete from lti_enrollments where enrollment_id = given and context_id = bound.id;
  perform set_enrollment_status(mine.id, 'dropped', null, sent_at(request))
  from enrollments as mine
  where mine.id = given and mine.status in ('active', 'pending', 'waitlisted')
    and not exists (select from lti_enrollments where enrollment_id = given);
end $$;
--> statement-breakpoint
-- Takes a person out of a group; a word on why not, as above, or that they are not in it. What they have handed in, and
-- what is open, keeps the later date.
create or replace function take_out_of_group(
  the_group integer, person integer, by_owner boolean, actor integer, moment timestamptz, request jsonb
) returns text language plpgsql as $$
declare
  here offering_groups := lock_group(the_group);
begin
  if here.id is null then return 'missing'; end if;
  if by_owner and not here.self_enrollment then return 'closed'; end if;
  delete from offering_group_members
  where group_id = here.id and user_id = person and (not by_owner or group_role = 'member');
  if not found then return 'not_in_it'; end if;
  perform audit('group.member_removed', actor, person,
    (select university_id from course_offerings where id = here.course_offering_id), jsonb_build_object('group_id', here.id), request);
  perform take_later_dates(here.course_offering_id, null, person, moment);
  return null;
end $$;
--> statement-breakpoint
-- Gives a person their place, or one on the waiting list, and the student role where they have none in the university.
create or replace function take_seat(run course_offerings, person integer, waits boolean, moment timestamptz)
returns enrollments language plpgsql as $$
declare
  enrollment enrollments;
begin
  insert into enrollments as placed (user_id, course_offering_id, status, enrolled_at)
  values (person, run.id, case when waits then 'waitlisted' else 'active' end,
          case when waits then end_of_waiting_list(run.id, moment) else moment end)
  on conflict (user_id, course_offering_id) do update
    set status = excluded.status, enrolled_at = excluded.enrolled_at, is_dropped_by_staff = false
  returning placed.* into enrollment;
  insert into user_university_roles (user_id, university_id, role)
  select person, run.university_id, 'student' where not exists (
    select from user_university_roles
    where user_id = person and university_id = run.university_id
  ) on conflict do nothing;
  return enrollment;
end $$;
--> statement-breakpoint
-- Takes the oldest warming that nobody works on, and whose batch, if it has one, is to be looked at. No row: there is none.
create or replace function take_warming(the_token uuid) returns setof warmings language sql as $$
  update warmings set
    state = 'running', lease_token = the_token, lease_until = clock_timestamp() + warming_lease(),
    started_at = coalesce(started_at, service_clock())
  where id = (
    select id from warmings
    where state in ('waiting', 'running') and coalesce(lease_until < clock_timestamp(), true) and not exists (
      select from llm_batches as batch
      where batch.warming_id = warmings.id and batch.state in ('gathering', 'sending', 'sent')
        and batch.leased_until > clock_timestamp())
    order by id limit 1 for update skip locked)
  returning *
$$;
--> statement-breakpoint
drop function tell_turns(generations,bigint,boolean,bigint[],uuid[],bigint[]);
--> statement-breakpoint
-- Stores an answer that has ended in the sessions that wait for it and have no answer yet, and ends their turns; `standing`
-- is the node that holds it. Whoever calls it holds the node, then the sessions. Answers the message of one of them; null:
-- none waits for it any more.
create or replace function tell_turns(
  made generations, standing bigint, is_on_path boolean, the_sessions bigint[], the_tokens uuid[], the_questions bigint[]
) returns chat_messages language plpgsql as $$
declare
  told chat_messages;
begin
  -- Two may listen in one session.
  with waiting as (
    select distinct s.id, turn.question, s.answering_since, s.cache_state = 'tracking' and exists (
      select from content_items as item join courses as course on course.id = item.course_id
      where item.id = s.content_item_id and course.cache_enabled) as is_tracking
    from unnest(the_sessions, the_tokens, the_questions) as turn (session, token, question)
    join chat_sessions as s on s.id = turn.session and s.answering_token = turn.token
    where not exists (select from chat_messages as m where m.in_reply_to_id = turn.question)
  ), visited as (
    insert into cache_visits (node_id, hit) select standing, false from waiting where standing is not null
  ), closed as (
    update chat_sessions as s
    -- A question that no node asks is answered off the tree.
    set cache_node_id = case when waiting.is_tracking and not is_on_path and made.question is not null then null
                             else coalesce(standing, s.cache_node_id) end,
        updated_at = service_now(), answering_message_id = null,
        answering_generation_id = null, answering_since = null, answering_token = null, answering_until = null
    from waiting where s.id = waiting.id
  ), stored as (
    insert into chat_messages (
      session_id, role, content, meta, in_reply_to_id, on_shared_path, cache_node_id, question, question_key, choices)
    select waiting.id, 'assistant',
           -- As `joined_text` has it, without another statement.
           array_to_string(array(select jsonb_array_elements_text(made.chunks)), ''),
           jsonb_strip_nulls(jsonb_build_object(
             'source', 'llm', 'model', made.model, 'prompt_name', made.prompt_name,
             'prompt_version', made.prompt_version, 'latency_ms', milliseconds_since(waiting.answering_since),
             'stop', made.stop, 'move', made.move, 'path', case when waiting.is_tracking and not is_on_path then 'lost' end,
             'input_tokens', made.input_tokens, 'output_tokens', made.output_tokens,
             'joined', case when not exists (select from llm_calls where message_id = waiting.question) then true end)),
           waiting.question, is_on_path, standing, made.question, case when standing is null then made.question_key end,
           case when standing is null and made.question_key is not null then made.choices end
    from waiting
    returning *
  )
  select * into told from stored limit 1;
  return told;
end;
$$;
--> statement-breakpoint
-- Undoes a link that was wrong, for staff: what the platform's person was given with it ends, and the tokens of the account
-- do. Answers whose account it was; null where none is linked.
create or replace function unlink_lti_person(the_platform integer, known integer, actor integer, request jsonb)
returns integer language plpgsql as $$
declare
  met lti_people;
  former integer;
  bound lti_contexts;
begin
  for bound in
    select one.* from lti_contexts as one where one.platform_id = the_platform order by one.course_offering_id
  loop
    continue when not exists (
      select from lti_people as one where one.id = known and (
        exists (select from offering_staff where user_id = one.user_id and lti_context_id = bound.id)
        or exists (
          select from enrollments as mine join lti_enrollments as given on given.enrollment_id = mine.id
          where mine.user_id = one.user_id and given.context_id = bound.id)));
    perform give_lti_role(bound, (select user_id from lti_people where id = known), null, 'launch', request);
  end loop;
  select * into met from lti_people where id = known and platform_id = the_platform for update;
  former := met.user_id;
  if former is null then return null; end if;
  update lti_people set user_id = null, linked_by = null, unlinked_at = sent_at(request) where id = known;
  delete from lti_launch_codes where user_id = former;
  perform end_tokens(former);
  perform audit('lti_person.unlinked', actor, former, platform.university_id,
    jsonb_build_object('lti_platform_id', platform.id), request)
  from lti_platforms as platform where platform.id = the_platform;
  return former;
end $$;
--> statement-breakpoint
-- What people are searched by, and put in order of. An account without an address has its name alone.
create or replace function users_keep_search_text() returns trigger language plpgsql as $$
begin
  new.search_text := case when new.erased_at is null then searched(concat_ws(' ', new.full_name, new.email)) end;
  return new;
end $$;
--> statement-breakpoint
-- Whether what waits in a trial is to be sent as a batch: one is under way, or so many cases wait for their first try. What a
-- batch did not answer is asked at once.
create or replace function waits_for_batch(trial trials) returns boolean language sql stable as $$
  select trial.batch_least is not null and trial.state = 'running' and (
    exists (select from llm_batches where trial_id = trial.id and state in ('gathering', 'sending', 'sent'))
    or trial.batch_least <= (
      select count(*) from trial_cases where trial_id = trial.id and state = 'waiting' and tries = 0))
$$;
--> statement-breakpoint
-- Has rows for these people in the columns that a mark is about; of what waits already the newest counts.
create or replace function want_lti_scores(
  offering integer, item integer, people integer[], forced boolean, moment timestamptz
) returns void language sql as $$
  insert into lti_scores as one (link_id, person_id, due_at, waits_since)
  select link.id, person.id, moment, moment
  from lti_contexts as context
  join lti_links as link on link.context_id = context.id and link.line_item_url is not null
  join lti_people as person on person.platform_id = context.platform_id and person.id = any (people)
  where context.course_offering_id = offering and person.user_id is not null
    and (item is null or link.content_item_id is null or link.content_item_id = item)
  order by link.id, person.id
  on conflict (link_id, person_id) do update
    set marks = one.marks + 1, due_at = excluded.due_at, waits_since = excluded.waits_since, tries = 0, is_refused = false,
        failure = null, sent_at = case when forced then null else one.sent_at end
$$;
--> statement-breakpoint
-- A warming as staff read it. Its calls are those that were begun for it, also by a process that was killed.
create or replace function warming_report(the_warming bigint) returns json language sql stable as $$
  select json_build_object(
    'id', one.id, 'content_item_id', one.content_item_id, 'state', one.state, 'stop_reason', one.stop_reason,
    'prompt_name', one.prompt_name, 'prompt_version', one.prompt_version, 'model', one.model,
    'most_nodes', one.most_nodes,
    'by_batch', one.by_batch,
    'estimate', json_build_object('calls', nodes.planned, 'input_tokens', one.estimated_input_tokens,
                                  'output_tokens', one.estimated_output_tokens),
    'nodes', row_to_json(nodes), 'calls', made.calls, 'cost_micros', made.cost_micros,
    'created_at', one.created_at, 'started_at', one.started_at, 'ended_at', one.ended_at)
  from warmings as one
  cross join lateral (
    select count(*)::int as planned, count(*) filter (where state = 'waiting')::int as waiting,
           count(*) filter (where state = 'made')::int as made, count(*) filter (where state = 'found')::int as found,
           count(*) filter (where state = 'left_out')::int as left_out,
           count(*) filter (where state = 'failed')::int as failed
    from warming_nodes where warming_id = one.id
  ) as nodes
  cross join lateral (
    select count(*)::int as calls, sum(cost_micros)::float8 as cost_micros from llm_calls
    where content_item_id = one.content_item_id and warming_id = one.id
  ) as made
  where one.id = the_warming
$$;
--> statement-breakpoint
-- Whether anyone has ever been in an account: with a password, as a provider or an LMS knows them, or by a link that was
-- sent to its address. What an import made and nobody has opened since was not entered.
create or replace function was_entered(account users) returns boolean language sql stable as $$
  select account.password_hash is not null or account.email_verified_at is not null
    or exists (select from user_identities where user_id = account.id)
    or exists (select from lti_people where user_id = account.id and last_launched_at is not null)
$$;
--> statement-breakpoint
-- A date with a person's days: as many calendar days later, at the same time of the day there, and never beyond the calendar.
create or replace function with_extra_days(moment timestamptz, person integer, university integer) returns timestamptz
language sql stable as $$
  select coalesce((
    select least((moment at time zone zone + make_interval(days => extra_days)) at time zone zone, '9999-12-31 23:59:59Z')
    from accommodation_of(person, university, moment)
    where isfinite(moment)
  ), moment)
$$;
--> statement-breakpoint
-- The same for whoever takes the item in an offering, by its dates: staff who learn there begin no sooner than the others.
create or replace function work_access(item integer, person integer, offering integer, moment timestamptz) returns text
language sql stable as $$
  select module_access(one.module_id, person, moment, one.is_active, one.available_from,
    not is_staff_of_offering(person, offering), one.id, offering)
  from content_items as one where one.id = item
$$;
--> statement-breakpoint
-- What holds for a person in a lab or an assignment: what its item says, and in its place what they are granted. Without
-- a limit work may be handed in again and again, and late unless the item says that it takes none. No row: the
-- offering's course has no such item.
create or replace function work_rules(the_item integer, the_offering integer, person integer)
returns table (
  university_id integer, due_at timestamptz, most_attempts integer, takes_late boolean, max_points numeric
) language sql stable as $$
  select offering.university_id, dates.due_at,
         coalesce(granted.max_attempts,
                  clamped(json_number(item.data_json -> 'max_attempts'), 1, 1000000)::int),
         item.data_json -> 'accepts_late' is distinct from 'false', points_of_item(type.name, item.data_json)
  from course_offerings as offering
  join content_items as item on item.id = the_item and item.course_id = offering.course_id
  join content_types as type
    on type.id = item.content_type_id and type.name in ('engineering_lab', 'assignment')
  left join quiz_overrides as granted
    on granted.course_offering_id = offering.id and granted.content_item_id = item.id and granted.user_id = person
  cross join lateral item_dates(offering.id, person, array[item.id]) as dates
  where offering.id = the_offering
$$;
--> statement-breakpoint
-- Makes a group, or changes it: its name, its external id where `wanted` has the key, and its members: `added`, `removed`, or
-- `members` in place of all. Raises SCIMM where one of them is no record of the university; else as `write_scim_user`. The
-- members are answered where they are asked for.
create or replace function write_scim_group(
  university integer, the_group integer, wanted jsonb, expected integer[], answers_members boolean, actor integer,
  request jsonb
) returns table (outcome text, written scim_groups, members json) language plpgsql as $$
#variable_conflict use_column
declare
  named integer[] := array(
    select distinct value::integer from jsonb_array_elements_text(coalesce(wanted -> 'members', wanted -> 'added', '[]')));
  leaving integer[] := array(select value::integer from jsonb_array_elements_text(coalesce(wanted -> 'removed', '[]')));
  changed integer[];
begin
  if the_group is null then
    insert into scim_groups (university_id, display_name, external_id)
    values (university, wanted ->> 'display_name', wanted ->> 'external_id') returning * into written;
  else
    select * into written from scim_groups as one where one.id = the_group and one.university_id = university for no key update;
    if written.id is null or not written.version = any (coalesce(expected, array[written.version])) then
      outcome := case when written.id is null then 'missing' else 'stale' end;
      return next;
      return;
    end if;
    update scim_groups as one set display_name = coalesce(wanted ->> 'display_name', one.display_name),
      external_id = case when wanted ? 'external_id' then wanted ->> 'external_id' else one.external_id end,
      version = one.version + 1, updated_at = service_now()
    where one.id = the_group returning one.* into written;
  end if;
  if (select count(*) from scim_users as record where record.id = any (named) and record.university_id = university)
      < cardinality(named) then
    raise exception 'no such member' using errcode = 'SCIMM';
  end if;
  with gone as (
    delete from scim_group_members as member
    where member.group_id = written.id
      and (member.scim_user_id = any (leaving) or wanted ? 'members' and not member.scim_user_id = any (named))
    returning member.scim_user_id
  ), come as (
    insert into scim_group_members (group_id, scim_user_id) select written.id, named_id from unnest(named) as named_id order by named_id
    on conflict do nothing returning scim_group_members.scim_user_id
  )
  select coalesce(array_agg(scim_user_id), '{}') into changed
  from (select scim_user_id from gone union all select scim_user_id from come) as either;
  if written.role is not null then perform settle_scim_members(written, changed, actor, request); end if;
  outcome := 'written';
  if answers_members then members := scim_members_of(written.id); end if;
  return next;
end $$;
--> statement-breakpoint
-- Makes a record, or replaces what it says. `missing` without one of that id, `stale` where it has none of the expected
-- versions, else `written` with the record. A name or an external id that another record has breaks the key of scim_users.
create or replace function write_scim_user(
  university integer, the_record integer, wanted jsonb, expected integer[], actor integer, request jsonb
) returns table (outcome text, record scim_users) language plpgsql as $$
#variable_conflict use_column
declare
  said scim_users := jsonb_populate_record(null::scim_users, wanted);
  former scim_users;
  is_linked boolean;
begin
  if the_record is null then
    insert into scim_users (university_id, user_name, external_id, email, full_name, is_active, attributes)
    values (university, said.user_name, said.external_id, said.email, said.full_name, said.is_active, said.attributes)
    returning * into record;
    perform audit('scim_user.created', actor, null, university, jsonb_build_object('scim_user_id', record.id), request);
  else
    select * into former from scim_users as one where one.id = the_record and one.university_id = university for update;
    if former.id is null or not former.version = any (coalesce(expected, array[former.version])) then
      outcome := case when former.id is null then 'missing' else 'stale' end;
      record := former;
      return next;
      return;
    end if;
    if former.email is distinct from said.email then perform revoke_scim_offer(former, request); end if;
    update scim_users as one set user_name = said.user_name, external_id = said.external_id, email = said.email,
      full_name = said.full_name, is_active = said.is_active, attributes = said.attributes,
      version = one.version + 1, updated_at = service_now()
    where one.id = the_record returning one.* into record;
  end if;
  is_linked := former.user_id is not null;
  record := find_scim_person(record.id, actor, request);
  if record.user_id is not null then
    perform from users where id = record.user_id for no key update;
    if not is_linked then perform settle_scim_roles(university, array[record.id], actor, request); end if;
    perform settle_scim_names(record);
    if not is_linked or former.is_active <> record.is_active then
      perform settle_scim_activity(record, actor, request);
    end if;
  end if;
  outcome := 'written';
  return next;
end $$;
--> statement-breakpoint
create or replace trigger become_member before insert on offering_staff
  for each row execute function become_member();
--> statement-breakpoint
create or replace trigger follow_lti_person after update of user_id on lti_people
  for each row when (new.user_id is distinct from old.user_id) execute function follow_lti_person();
--> statement-breakpoint
create or replace trigger follow_new_lti_person after insert on lti_people
  for each row when (new.user_id is not null) execute function follow_lti_person();
--> statement-breakpoint
create or replace trigger mark_changed_lti_column after update of line_item_url, content_item_id, module_id on lti_links
  for each row when (new.line_item_url is not null and (new.line_item_url, new.content_item_id, new.module_id)
    is distinct from (old.line_item_url, old.content_item_id, old.module_id)) execute function mark_lti_scores_of_link();
--> statement-breakpoint
create or replace trigger mark_final_lti_score after insert or update of final_score on course_grades
  for each row execute function mark_final_lti_score();
--> statement-breakpoint
create or replace trigger mark_graded_lti_score after insert or update of score_override, is_excused on item_grades
  for each row execute function mark_graded_lti_score();
--> statement-breakpoint
-- Also where it was taken back.
create or replace trigger mark_graded_lti_score after update of score_obtained, max_score, status on lab_submissions
  for each row when ((new.score_obtained, new.max_score, new.status)
    is distinct from (old.score_obtained, old.max_score, old.status)) execute function mark_graded_lti_score();
--> statement-breakpoint
create or replace trigger mark_graded_lti_score after insert or update of score_obtained, max_score on quiz_attempts
  for each row when (new.score_obtained is not null) execute function mark_graded_lti_score();
--> statement-breakpoint
create or replace trigger mark_lti_scores_of_offering after insert or delete on grade_releases
  for each row execute function mark_lti_scores_of_offering();
--> statement-breakpoint
create or replace trigger mark_lti_scores_of_offering after insert or update or delete on grading_schemes
  for each row execute function mark_lti_scores_of_offering();
--> statement-breakpoint
create or replace trigger mark_new_lti_column after insert on lti_links
  for each row when (new.line_item_url is not null) execute function mark_lti_scores_of_link();
--> statement-breakpoint
create or replace trigger number_final_grade before insert or update of final_score, graded_at, outdated_at on course_grades
  for each row execute function number_final_grade();
--> statement-breakpoint
create or replace trigger users_keep_search_text before insert or update of full_name, email, erased_at on users
  for each row execute function users_keep_search_text();
--> statement-breakpoint
ALTER TABLE "lti_contexts" ADD CONSTRAINT "lti_contexts_platform_id_lti_platforms_id_fk" FOREIGN KEY ("platform_id","university_id") REFERENCES "public"."lti_platforms"("id","university_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "lti_contexts" ADD CONSTRAINT "lti_contexts_deployment_id_lti_deployments_id_fk" FOREIGN KEY ("deployment_id","platform_id") REFERENCES "public"."lti_deployments"("id","platform_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
set local check_function_bodies = on;
