-- A generated column of prompts is made with it.
create or replace function sha256_hex(content text) returns text language sql immutable strict parallel safe as $$
  select encode(sha256(convert_to(content, 'UTF8')), 'hex')
$$;
--> statement-breakpoint
CREATE TABLE "activity_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "activity_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"university_id" integer,
	"verb" varchar(64) NOT NULL,
	"object_type" varchar(64) NOT NULL,
	"object_id" integer NOT NULL,
	"content_item_id" integer,
	"course_offering_id" integer,
	"occurred_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "assets" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "assets_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer,
	"url" varchar(1024) NOT NULL,
	"asset_type" varchar(32) NOT NULL,
	"meta_json" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "cache_fill_chunks" (
	"node_id" integer NOT NULL,
	"filling_token" uuid NOT NULL,
	"first_chunk" integer NOT NULL,
	"chunks" jsonb NOT NULL,
	CONSTRAINT "cache_fill_chunks_node_id_filling_token_first_chunk_pk" PRIMARY KEY("node_id","filling_token","first_chunk")
);
--> statement-breakpoint
CREATE TABLE "cache_hits" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "cache_hits_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"node_id" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "cache_nodes" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "cache_nodes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"content_item_id" integer NOT NULL,
	"parent_id" integer,
	"message" text NOT NULL,
	"message_hash" varchar(64) NOT NULL,
	"prompt_name" varchar(255) NOT NULL,
	"prompt_version" integer NOT NULL,
	"model" varchar(255) NOT NULL,
	"prompt_fingerprint" varchar(64) NOT NULL,
	"content_fingerprint" varchar(64) NOT NULL,
	"chunks" jsonb,
	"filling_until" timestamp (3) with time zone,
	"filling_token" uuid,
	"input_tokens" integer,
	"output_tokens" integer,
	"hit_count" bigint DEFAULT 0 NOT NULL,
	"last_used_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"edited_by" integer,
	"edited_at" timestamp (3) with time zone,
	CONSTRAINT "cache_nodes_key" UNIQUE NULLS NOT DISTINCT("content_item_id","parent_id","message_hash","prompt_name","prompt_version","model","prompt_fingerprint","content_fingerprint"),
	CONSTRAINT "cache_nodes_filling_check" CHECK ("cache_nodes"."chunks" is null or "cache_nodes"."filling_token" is null)
);
--> statement-breakpoint
CREATE TABLE "certificates" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "certificates_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"certificate_code" varchar(64) NOT NULL,
	"issued_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"metadata_json" jsonb,
	CONSTRAINT "certificates_certificate_code_unique" UNIQUE("certificate_code")
);
--> statement-breakpoint
CREATE TABLE "chat_messages" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "chat_messages_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"session_id" integer NOT NULL,
	"role" text NOT NULL,
	"content" text NOT NULL,
	"meta" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"in_reply_to_id" integer,
	"on_shared_path" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "chat_messages_in_reply_to_id_unique" UNIQUE("in_reply_to_id"),
	CONSTRAINT "chat_messages_role_check" CHECK ("chat_messages"."role" in ('user', 'assistant'))
);
--> statement-breakpoint
CREATE TABLE "chat_sessions" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "chat_sessions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"content_context" jsonb NOT NULL,
	"content_fingerprint" varchar(64) NOT NULL,
	"share_enabled" boolean DEFAULT false NOT NULL,
	"share_token" varchar(64),
	"cache_node_id" integer,
	"cache_state" text DEFAULT 'tracking' NOT NULL,
	"answering_until" timestamp (3) with time zone,
	"answering_token" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "chat_sessions_share_token_unique" UNIQUE("share_token"),
	CONSTRAINT "chat_sessions_cache_state_check" CHECK ("chat_sessions"."cache_state" in ('tracking', 'diverged'))
);
--> statement-breakpoint
CREATE TABLE "content_items" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "content_items_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"module_id" integer NOT NULL,
	"course_id" integer NOT NULL,
	"university_id" integer NOT NULL,
	"content_type_id" integer NOT NULL,
	"title" varchar(255) NOT NULL,
	"description" text,
	"sequence_index" integer DEFAULT 1 NOT NULL,
	"estimated_duration_seconds" integer,
	"data_json" jsonb NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "content_items_order_unique" UNIQUE("module_id","sequence_index") DEFERRABLE,
	CONSTRAINT "content_items_sequence_index_check" CHECK ("content_items"."sequence_index" >= 0)
);
--> statement-breakpoint
CREATE TABLE "content_types" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "content_types_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"label" text NOT NULL,
	"description" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "content_types_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "countries" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "countries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"iso_code" char(2) NOT NULL,
	"name" varchar(255) NOT NULL,
	"region_name" varchar(255),
	CONSTRAINT "countries_iso_code_unique" UNIQUE("iso_code")
);
--> statement-breakpoint
CREATE TABLE "course_prerequisites" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "course_prerequisites_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_id" integer NOT NULL,
	"prerequisite_course_id" integer NOT NULL,
	"prerequisite_type" text DEFAULT 'strict' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "course_prerequisites_course_id_prerequisite_course_id_unique" UNIQUE("course_id","prerequisite_course_id"),
	CONSTRAINT "course_prerequisites_prerequisite_type_check" CHECK ("course_prerequisites"."prerequisite_type" in ('strict', 'recommended', 'co_requisite')),
	CONSTRAINT "course_prerequisites_not_itself" CHECK ("course_prerequisites"."course_id" <> "course_prerequisites"."prerequisite_course_id")
);
--> statement-breakpoint
CREATE TABLE "course_subjects" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "course_subjects_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_id" integer NOT NULL,
	"subject_id" integer NOT NULL,
	"is_primary" boolean DEFAULT false NOT NULL,
	CONSTRAINT "course_subjects_course_id_subject_id_unique" UNIQUE("course_id","subject_id")
);
--> statement-breakpoint
CREATE TABLE "courses" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "courses_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"department_id" integer,
	"primary_subject_id" integer,
	"title" varchar(255) NOT NULL,
	"code" varchar(128) NOT NULL,
	"description" text,
	"level" text DEFAULT 'undergraduate' NOT NULL,
	"language_code" varchar(8) DEFAULT 'en' NOT NULL,
	"credit_hours" numeric(4, 2),
	"is_published" boolean DEFAULT false NOT NULL,
	"cache_enabled" boolean DEFAULT true NOT NULL,
	"llm_model" varchar(128),
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "courses_university_id_code_unique" UNIQUE("university_id","code"),
	CONSTRAINT "courses_university_id_id_unique" UNIQUE("university_id","id"),
	CONSTRAINT "courses_level_check" CHECK ("courses"."level" in ('undergraduate', 'graduate', 'postgraduate', 'certificate', 'other', 'introductory', 'intermediate', 'advanced'))
);
--> statement-breakpoint
CREATE TABLE "stored_credentials" (
	"name" varchar(64) PRIMARY KEY NOT NULL,
	"ciphertext" text NOT NULL,
	"access_key_id_last4" varchar(4) NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_by" integer
);
--> statement-breakpoint
CREATE TABLE "departments" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "departments_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"name" varchar(255) NOT NULL,
	"code" varchar(64) NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "departments_university_id_code_unique" UNIQUE("university_id","code"),
	CONSTRAINT "departments_university_id_id_unique" UNIQUE("university_id","id")
);
--> statement-breakpoint
CREATE TABLE "discussion_posts" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "discussion_posts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"thread_id" integer NOT NULL,
	"parent_post_id" integer,
	"user_id" integer NOT NULL,
	"body" text NOT NULL,
	"is_deleted" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "discussion_posts_thread_id_id_unique" UNIQUE("thread_id","id")
);
--> statement-breakpoint
CREATE TABLE "discussion_threads" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "discussion_threads_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_offering_id" integer NOT NULL,
	"module_id" integer,
	"content_item_id" integer,
	"created_by_user_id" integer NOT NULL,
	"title" varchar(255),
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"is_locked" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "domains" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "domains_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"code" varchar(64) NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "domains_code_unique" UNIQUE("code")
);
--> statement-breakpoint
CREATE TABLE "enrollments" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "enrollments_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"university_id" integer DEFAULT null NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"enrolled_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"dropped_at" timestamp (3) with time zone,
	CONSTRAINT "enrollments_user_id_course_offering_id_unique" UNIQUE("user_id","course_offering_id"),
	CONSTRAINT "enrollments_status_check" CHECK ("enrollments"."status" in ('active', 'completed', 'dropped', 'pending', 'waitlisted'))
);
--> statement-breakpoint
CREATE TABLE "feature_request_totals" (
	"status" text PRIMARY KEY NOT NULL,
	"requests" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "feature_request_totals_status_check" CHECK ("feature_request_totals"."status" in ('pending', 'under_review', 'planned', 'completed', 'declined'))
);
--> statement-breakpoint
CREATE TABLE "feature_requests" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "feature_requests_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"title" text NOT NULL,
	"description" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"admin_notes" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "feature_requests_status_check" CHECK ("feature_requests"."status" in ('pending', 'under_review', 'planned', 'completed', 'declined'))
);
--> statement-breakpoint
CREATE TABLE "flashcard_reviews" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "flashcard_reviews_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"flashcard_id" integer NOT NULL,
	"rating" text NOT NULL,
	"state" text DEFAULT 'new' NOT NULL,
	"due" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"stability" double precision DEFAULT 0 NOT NULL,
	"difficulty" double precision DEFAULT 0 NOT NULL,
	"elapsed_days" integer DEFAULT 0 NOT NULL,
	"scheduled_days" integer DEFAULT 0 NOT NULL,
	"reviewed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "flashcard_reviews_rating_check" CHECK ("flashcard_reviews"."rating" in ('again', 'hard', 'good', 'easy')),
	CONSTRAINT "flashcard_reviews_state_check" CHECK ("flashcard_reviews"."state" in ('new', 'learning', 'review', 'relearning'))
);
--> statement-breakpoint
CREATE TABLE "flashcards" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "flashcards_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"content_item_id" integer,
	"front" text NOT NULL,
	"back" text NOT NULL,
	"state" text DEFAULT 'new' NOT NULL,
	"due" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"stability" double precision DEFAULT 0 NOT NULL,
	"difficulty" double precision DEFAULT 0 NOT NULL,
	"elapsed_days" integer DEFAULT 0 NOT NULL,
	"scheduled_days" integer DEFAULT 0 NOT NULL,
	"reps" integer DEFAULT 0 NOT NULL,
	"lapses" integer DEFAULT 0 NOT NULL,
	"last_review" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "flashcards_state_check" CHECK ("flashcards"."state" in ('new', 'learning', 'review', 'relearning'))
);
--> statement-breakpoint
CREATE TABLE "course_grades" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "course_grades_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"final_score" numeric(6, 2),
	"letter_grade" varchar(8),
	"passed" boolean,
	"graded_at" timestamp (3) with time zone,
	CONSTRAINT "course_grades_user_id_course_offering_id_unique" UNIQUE("user_id","course_offering_id")
);
--> statement-breakpoint
CREATE TABLE "user_identities" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "user_identities_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"provider" varchar(64) NOT NULL,
	"subject" varchar(255) NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "user_identities_provider_subject_unique" UNIQUE("provider","subject")
);
--> statement-breakpoint
CREATE TABLE "lab_submissions" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "lab_submissions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"submitted_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"status" text DEFAULT 'submitted' NOT NULL,
	"auto_grade_json" jsonb,
	"score_obtained" numeric(6, 2),
	"max_score" numeric(6, 2),
	"instructor_feedback" text,
	"artifacts_url" varchar(1024),
	CONSTRAINT "lab_submissions_status_check" CHECK ("lab_submissions"."status" in ('submitted', 'graded'))
);
--> statement-breakpoint
CREATE TABLE "metric_instances" (
	"id" uuid PRIMARY KEY NOT NULL,
	"requests_in_progress" integer NOT NULL,
	"last_batch" integer NOT NULL,
	"seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "metric_samples" (
	"sample" varchar(64) NOT NULL,
	"labels" jsonb NOT NULL,
	"value" double precision NOT NULL,
	CONSTRAINT "metric_samples_sample_labels_pk" PRIMARY KEY("sample","labels")
);
--> statement-breakpoint
CREATE TABLE "module_templates" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "module_templates_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"template_type" text NOT NULL,
	"title" varchar(255) NOT NULL,
	"description" text,
	"default_data" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "module_templates_template_type_check" CHECK ("module_templates"."template_type" in ('course_root', 'unit', 'chapter', 'lesson', 'topic', 'section', 'lab', 'quiz', 'other'))
);
--> statement-breakpoint
CREATE TABLE "modules" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "modules_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_id" integer NOT NULL,
	"parent_module_id" integer,
	"module_type" text NOT NULL,
	"module_template_id" integer,
	"title" varchar(255) NOT NULL,
	"description" text,
	"sequence_index" integer DEFAULT 1 NOT NULL,
	"depth" integer DEFAULT 0 NOT NULL,
	"is_published" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "modules_sibling_order_unique" UNIQUE NULLS NOT DISTINCT("course_id","parent_module_id","sequence_index") DEFERRABLE,
	CONSTRAINT "modules_course_id_id_unique" UNIQUE("course_id","id"),
	CONSTRAINT "modules_module_type_check" CHECK ("modules"."module_type" in ('course_root', 'unit', 'chapter', 'lesson', 'topic', 'section', 'lab', 'quiz', 'other')),
	CONSTRAINT "modules_sequence_index_check" CHECK ("modules"."sequence_index" >= 0),
	CONSTRAINT "modules_depth_check" CHECK ("modules"."depth" >= 0),
	CONSTRAINT "modules_depth_limit" CHECK ("modules"."depth" <= 32),
	CONSTRAINT "modules_not_own_parent" CHECK ("modules"."parent_module_id" <> "modules"."id")
);
--> statement-breakpoint
CREATE TABLE "notes" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "notes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"body" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "course_offering_instructors" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "course_offering_instructors_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_offering_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	CONSTRAINT "course_offering_instructors_course_offering_id_user_id_unique" UNIQUE("course_offering_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "course_offerings" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "course_offerings_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_id" integer NOT NULL,
	"university_id" integer NOT NULL,
	"term_name" varchar(255),
	"starts_at" timestamp (3) with time zone,
	"ends_at" timestamp (3) with time zone,
	"enrollment_start" timestamp (3) with time zone,
	"enrollment_end" timestamp (3) with time zone,
	"visibility" text DEFAULT 'private' NOT NULL,
	"capacity" integer,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "course_offerings_id_university_id_unique" UNIQUE("id","university_id"),
	CONSTRAINT "course_offerings_visibility_check" CHECK ("course_offerings"."visibility" in ('private', 'public')),
	CONSTRAINT "course_offerings_ends_at_check" CHECK ("course_offerings"."ends_at" > "course_offerings"."starts_at"),
	CONSTRAINT "course_offerings_enrollment_end_check" CHECK ("course_offerings"."enrollment_end" > "course_offerings"."enrollment_start"),
	CONSTRAINT "course_offerings_capacity_check" CHECK ("course_offerings"."capacity" >= 1)
);
--> statement-breakpoint
CREATE TABLE "course_popularity" (
	"course_id" integer NOT NULL,
	"subject_id" integer,
	"enrollments" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "course_popularity_key" UNIQUE NULLS NOT DISTINCT("course_id","subject_id")
);
--> statement-breakpoint
CREATE TABLE "user_profiles" (
	"user_id" integer PRIMARY KEY NOT NULL,
	"date_of_birth" date,
	"learning_goal" text,
	"study_level" text,
	"grade" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "user_subject_preferences" (
	"user_id" integer NOT NULL,
	"subject_id" integer NOT NULL,
	CONSTRAINT "user_subject_preferences_user_id_subject_id_pk" PRIMARY KEY("user_id","subject_id")
);
--> statement-breakpoint
CREATE TABLE "user_content_progress" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "user_content_progress_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"first_started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_interacted_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"progress_percent" numeric(5, 2) DEFAULT 0 NOT NULL,
	"attempts_count" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "user_content_progress_unique" UNIQUE("user_id","course_offering_id","content_item_id"),
	CONSTRAINT "user_content_progress_percent_check" CHECK ("user_content_progress"."progress_percent" between 0 and 100)
);
--> statement-breakpoint
CREATE TABLE "user_module_progress" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "user_module_progress_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"module_id" integer NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"progress_percent" numeric(5, 2) DEFAULT 0 NOT NULL,
	CONSTRAINT "user_module_progress_unique" UNIQUE("user_id","course_offering_id","module_id"),
	CONSTRAINT "user_module_progress_percent_check" CHECK ("user_module_progress"."progress_percent" between 0 and 100)
);
--> statement-breakpoint
CREATE TABLE "prompt_dependencies" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "prompt_dependencies_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"prompt_id" integer NOT NULL,
	"position" integer NOT NULL,
	"child_name" varchar(255) NOT NULL,
	"child_version" integer,
	"child_label" varchar(36),
	"occurrences" integer DEFAULT 1 NOT NULL,
	"tag_characters" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "prompt_dependencies_prompt_id_position_unique" UNIQUE("prompt_id","position"),
	CONSTRAINT "prompt_dependencies_version_or_label" CHECK (num_nonnulls("prompt_dependencies"."child_version", "prompt_dependencies"."child_label") = 1)
);
--> statement-breakpoint
CREATE TABLE "prompt_label_events" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "prompt_label_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" varchar(255) NOT NULL,
	"label" varchar(36) NOT NULL,
	"from_version" integer,
	"to_version" integer,
	"changed_by" integer,
	"changed_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "prompt_labels" (
	"name" varchar(255) NOT NULL,
	"label" varchar(36) NOT NULL,
	"prompt_id" integer NOT NULL,
	CONSTRAINT "prompt_labels_name_label_pk" PRIMARY KEY("name","label")
);
--> statement-breakpoint
CREATE TABLE "prompt_names" (
	"name" varchar(255) PRIMARY KEY NOT NULL,
	"type" text DEFAULT 'text' NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"latest_version" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "prompt_names_type_check" CHECK ("prompt_names"."type" in ('text'))
);
--> statement-breakpoint
CREATE TABLE "prompts" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "prompts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" varchar(255) NOT NULL,
	"version" integer NOT NULL,
	"prompt" text NOT NULL,
	"plain_fingerprint" varchar(64) GENERATED ALWAYS AS (case when prompt not like '%@@@refPrompt:%' then sha256_hex(prompt) end) STORED,
	"characters" integer GENERATED ALWAYS AS (length(prompt)) STORED NOT NULL,
	"config" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"commit_message" varchar(500),
	"created_by" integer,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "prompts_name_version_unique" UNIQUE("name","version"),
	CONSTRAINT "prompts_name_id_unique" UNIQUE("name","id"),
	CONSTRAINT "prompts_version_check" CHECK ("prompts"."version" >= 1)
);
--> statement-breakpoint
CREATE TABLE "question_pools" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "question_pools_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_id" integer NOT NULL,
	"title" text NOT NULL,
	"description" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "questions" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "questions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"question_pool_id" integer NOT NULL,
	"kind" text NOT NULL,
	"question_text" text NOT NULL,
	"options_json" jsonb,
	"answer_json" jsonb NOT NULL,
	"explanation" text,
	"points" numeric(6, 2) DEFAULT 1 NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "questions_kind_check" CHECK ("questions"."kind" in ('single_choice', 'multiple_choice', 'true_false', 'short_answer', 'numeric'))
);
--> statement-breakpoint
CREATE TABLE "quiz_attempts" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "quiz_attempts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"attempt_number" integer DEFAULT 1 NOT NULL,
	"question_ids" integer[] DEFAULT '{}' NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"due_at" timestamp (3) with time zone,
	"submitted_at" timestamp (3) with time zone,
	"score_obtained" numeric(6, 2),
	"max_score" numeric(6, 2),
	"passed" boolean,
	"raw_response_json" jsonb,
	CONSTRAINT "quiz_attempts_attempt_number_unique" UNIQUE("user_id","course_offering_id","content_item_id","attempt_number")
);
--> statement-breakpoint
CREATE TABLE "course_reviews" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "course_reviews_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"rating" integer NOT NULL,
	"review_text" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "course_reviews_user_id_course_offering_id_unique" UNIQUE("user_id","course_offering_id"),
	CONSTRAINT "course_reviews_rating_check" CHECK ("course_reviews"."rating" between 1 and 5)
);
--> statement-breakpoint
CREATE TABLE "user_university_roles" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "user_university_roles_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"university_id" integer NOT NULL,
	"role" text NOT NULL,
	"department_id" integer,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "user_university_roles_user_id_university_id_role_unique" UNIQUE("user_id","university_id","role"),
	CONSTRAINT "user_university_roles_role_check" CHECK ("user_university_roles"."role" in ('student', 'ta', 'instructor', 'department_admin', 'university_admin', 'platform_admin'))
);
--> statement-breakpoint
CREATE TABLE "subjects" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "subjects_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"parent_subject_id" integer,
	"domain_id" integer,
	"name" text NOT NULL,
	"code" varchar(128) NOT NULL,
	"description" text,
	"depth" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "subjects_code_unique" UNIQUE("code"),
	CONSTRAINT "subjects_depth_check" CHECK ("subjects"."depth" >= 0),
	CONSTRAINT "subjects_not_own_parent" CHECK ("subjects"."parent_subject_id" <> "subjects"."id")
);
--> statement-breakpoint
CREATE TABLE "course_trees" (
	"course_offering_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"course_id" integer NOT NULL,
	"completed_on" date,
	"interrupted" datemultirange NOT NULL,
	CONSTRAINT "course_trees_course_offering_id_user_id_pk" PRIMARY KEY("course_offering_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "report_totals" (
	"measure" text NOT NULL,
	"course_id" integer,
	"day" date,
	"since" date,
	"amount" numeric NOT NULL,
	CONSTRAINT "report_totals_key" UNIQUE NULLS NOT DISTINCT("course_id","measure","day","since") INCLUDE ("amount"),
	CONSTRAINT "report_totals_measure_check" CHECK ("report_totals"."measure" in ('signups', 'people', 'course_people', 'topic_people', 'topic_milliseconds', 'tutor_people', 'tutor_questions', 'conversations', 'conversation_milliseconds', 'divergences', 'hits', 'misses', 'topics_started', 'topics_completed', 'trees_completed', 'trees_interrupted', 'enrollments_active', 'enrollments_completed', 'enrollments_dropped', 'enrollments_pending', 'enrollments_waitlisted', 'drops', 'quizzes_submitted', 'quizzes_passed', 'quizzes_failed', 'quizzes_scored', 'quiz_scores', 'labs_submitted', 'labs_graded', 'labs_scored', 'lab_scores', 'notes', 'flashcards', 'flashcard_reviews', 'discussion_threads', 'discussion_posts', 'course_reviews', 'course_ratings'))
);
--> statement-breakpoint
CREATE TABLE "uncounted_changes" (
	"measure" text NOT NULL,
	"course_id" integer,
	"day" date,
	"since" date,
	"amount" numeric NOT NULL
);
--> statement-breakpoint
CREATE TABLE "uncounted_courses" (
	"course_id" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "uncounted_events" (
	"event_id" bigint PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "uncounted_messages" (
	"message_id" integer PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "uncounted_trees" (
	"course_offering_id" integer NOT NULL,
	"user_id" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "universities" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "universities_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" varchar(255) NOT NULL,
	"short_code" varchar(64) NOT NULL,
	"country_id" integer NOT NULL,
	"time_zone" varchar(64) DEFAULT 'UTC' NOT NULL,
	"website_url" varchar(512),
	"is_active" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "universities_short_code_unique" UNIQUE("short_code")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "users_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"email" varchar(255) NOT NULL,
	"full_name" varchar(255) NOT NULL,
	"password_hash" text,
	"locale" varchar(16) DEFAULT 'en' NOT NULL,
	"time_zone" varchar(64) DEFAULT 'UTC' NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"current_streak_days" integer DEFAULT 0 NOT NULL,
	"last_activity_date" date,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "users_email_unique" UNIQUE("email"),
	CONSTRAINT "users_email_lowercase" CHECK ("users"."email" = lower("users"."email"))
);
--> statement-breakpoint
ALTER TABLE "activity_events" ADD CONSTRAINT "activity_events_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "activity_events" ADD CONSTRAINT "activity_events_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "activity_events" ADD CONSTRAINT "activity_events_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "activity_events" ADD CONSTRAINT "activity_events_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "assets" ADD CONSTRAINT "assets_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cache_fill_chunks" ADD CONSTRAINT "cache_fill_chunks_node_id_cache_nodes_id_fk" FOREIGN KEY ("node_id") REFERENCES "public"."cache_nodes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cache_hits" ADD CONSTRAINT "cache_hits_node_id_cache_nodes_id_fk" FOREIGN KEY ("node_id") REFERENCES "public"."cache_nodes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cache_nodes" ADD CONSTRAINT "cache_nodes_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cache_nodes" ADD CONSTRAINT "cache_nodes_parent_id_cache_nodes_id_fk" FOREIGN KEY ("parent_id") REFERENCES "public"."cache_nodes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cache_nodes" ADD CONSTRAINT "cache_nodes_edited_by_users_id_fk" FOREIGN KEY ("edited_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "certificates" ADD CONSTRAINT "certificates_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "certificates" ADD CONSTRAINT "certificates_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_messages" ADD CONSTRAINT "chat_messages_session_id_chat_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."chat_sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_messages" ADD CONSTRAINT "chat_messages_in_reply_to_id_chat_messages_id_fk" FOREIGN KEY ("in_reply_to_id") REFERENCES "public"."chat_messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_sessions" ADD CONSTRAINT "chat_sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_sessions" ADD CONSTRAINT "chat_sessions_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_sessions" ADD CONSTRAINT "chat_sessions_cache_node_id_cache_nodes_id_fk" FOREIGN KEY ("cache_node_id") REFERENCES "public"."cache_nodes"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "content_items" ADD CONSTRAINT "content_items_content_type_id_content_types_id_fk" FOREIGN KEY ("content_type_id") REFERENCES "public"."content_types"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "content_items" ADD CONSTRAINT "content_items_module_id_modules_id_fk" FOREIGN KEY ("module_id","course_id") REFERENCES "public"."modules"("id","course_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "content_items" ADD CONSTRAINT "content_items_course_id_courses_id_fk" FOREIGN KEY ("course_id","university_id") REFERENCES "public"."courses"("id","university_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_prerequisites" ADD CONSTRAINT "course_prerequisites_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_prerequisites" ADD CONSTRAINT "course_prerequisites_prerequisite_course_id_courses_id_fk" FOREIGN KEY ("prerequisite_course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_subjects" ADD CONSTRAINT "course_subjects_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_subjects" ADD CONSTRAINT "course_subjects_subject_id_subjects_id_fk" FOREIGN KEY ("subject_id") REFERENCES "public"."subjects"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "courses" ADD CONSTRAINT "courses_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "courses" ADD CONSTRAINT "courses_primary_subject_id_subjects_id_fk" FOREIGN KEY ("primary_subject_id") REFERENCES "public"."subjects"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "courses" ADD CONSTRAINT "courses_department_id_departments_id_fk" FOREIGN KEY ("department_id","university_id") REFERENCES "public"."departments"("id","university_id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stored_credentials" ADD CONSTRAINT "stored_credentials_updated_by_users_id_fk" FOREIGN KEY ("updated_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "departments" ADD CONSTRAINT "departments_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "discussion_posts" ADD CONSTRAINT "discussion_posts_thread_id_discussion_threads_id_fk" FOREIGN KEY ("thread_id") REFERENCES "public"."discussion_threads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "discussion_posts" ADD CONSTRAINT "discussion_posts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "discussion_posts" ADD CONSTRAINT "discussion_posts_parent_post_id_discussion_posts_id_fk" FOREIGN KEY ("parent_post_id","thread_id") REFERENCES "public"."discussion_posts"("id","thread_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "discussion_threads" ADD CONSTRAINT "discussion_threads_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "discussion_threads" ADD CONSTRAINT "discussion_threads_module_id_modules_id_fk" FOREIGN KEY ("module_id") REFERENCES "public"."modules"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "discussion_threads" ADD CONSTRAINT "discussion_threads_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "discussion_threads" ADD CONSTRAINT "discussion_threads_created_by_user_id_users_id_fk" FOREIGN KEY ("created_by_user_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "enrollments" ADD CONSTRAINT "enrollments_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "enrollments" ADD CONSTRAINT "enrollments_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id","university_id") REFERENCES "public"."course_offerings"("id","university_id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feature_requests" ADD CONSTRAINT "feature_requests_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "flashcard_reviews" ADD CONSTRAINT "flashcard_reviews_flashcard_id_flashcards_id_fk" FOREIGN KEY ("flashcard_id") REFERENCES "public"."flashcards"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "flashcards" ADD CONSTRAINT "flashcards_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "flashcards" ADD CONSTRAINT "flashcards_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_grades" ADD CONSTRAINT "course_grades_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_grades" ADD CONSTRAINT "course_grades_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_identities" ADD CONSTRAINT "user_identities_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD CONSTRAINT "lab_submissions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD CONSTRAINT "lab_submissions_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD CONSTRAINT "lab_submissions_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "modules" ADD CONSTRAINT "modules_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "modules" ADD CONSTRAINT "modules_module_template_id_module_templates_id_fk" FOREIGN KEY ("module_template_id") REFERENCES "public"."module_templates"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "modules" ADD CONSTRAINT "modules_parent_module_id_modules_id_fk" FOREIGN KEY ("parent_module_id","course_id") REFERENCES "public"."modules"("id","course_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notes" ADD CONSTRAINT "notes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notes" ADD CONSTRAINT "notes_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_offering_instructors" ADD CONSTRAINT "course_offering_instructors_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_offering_instructors" ADD CONSTRAINT "course_offering_instructors_course_offering_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_offerings" ADD CONSTRAINT "course_offerings_course_id_courses_id_fk" FOREIGN KEY ("course_id","university_id") REFERENCES "public"."courses"("id","university_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_popularity" ADD CONSTRAINT "course_popularity_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_popularity" ADD CONSTRAINT "course_popularity_subject_id_subjects_id_fk" FOREIGN KEY ("subject_id") REFERENCES "public"."subjects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_profiles" ADD CONSTRAINT "user_profiles_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_subject_preferences" ADD CONSTRAINT "user_subject_preferences_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_subject_preferences" ADD CONSTRAINT "user_subject_preferences_subject_id_subjects_id_fk" FOREIGN KEY ("subject_id") REFERENCES "public"."subjects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_content_progress" ADD CONSTRAINT "user_content_progress_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_content_progress" ADD CONSTRAINT "user_content_progress_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_content_progress" ADD CONSTRAINT "user_content_progress_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_module_progress" ADD CONSTRAINT "user_module_progress_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_module_progress" ADD CONSTRAINT "user_module_progress_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_module_progress" ADD CONSTRAINT "user_module_progress_module_id_modules_id_fk" FOREIGN KEY ("module_id") REFERENCES "public"."modules"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prompt_dependencies" ADD CONSTRAINT "prompt_dependencies_prompt_id_prompts_id_fk" FOREIGN KEY ("prompt_id") REFERENCES "public"."prompts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prompt_label_events" ADD CONSTRAINT "prompt_label_events_changed_by_users_id_fk" FOREIGN KEY ("changed_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prompt_labels" ADD CONSTRAINT "prompt_labels_prompt_id_prompts_id_fk" FOREIGN KEY ("prompt_id","name") REFERENCES "public"."prompts"("id","name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prompts" ADD CONSTRAINT "prompts_name_prompt_names_name_fk" FOREIGN KEY ("name") REFERENCES "public"."prompt_names"("name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prompts" ADD CONSTRAINT "prompts_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "question_pools" ADD CONSTRAINT "question_pools_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "questions" ADD CONSTRAINT "questions_question_pool_id_question_pools_id_fk" FOREIGN KEY ("question_pool_id") REFERENCES "public"."question_pools"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quiz_attempts" ADD CONSTRAINT "quiz_attempts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quiz_attempts" ADD CONSTRAINT "quiz_attempts_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quiz_attempts" ADD CONSTRAINT "quiz_attempts_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_reviews" ADD CONSTRAINT "course_reviews_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_reviews" ADD CONSTRAINT "course_reviews_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_university_roles" ADD CONSTRAINT "user_university_roles_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_university_roles" ADD CONSTRAINT "user_university_roles_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_university_roles" ADD CONSTRAINT "user_university_roles_department_id_departments_id_fk" FOREIGN KEY ("department_id","university_id") REFERENCES "public"."departments"("id","university_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subjects" ADD CONSTRAINT "subjects_parent_subject_id_subjects_id_fk" FOREIGN KEY ("parent_subject_id") REFERENCES "public"."subjects"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subjects" ADD CONSTRAINT "subjects_domain_id_domains_id_fk" FOREIGN KEY ("domain_id") REFERENCES "public"."domains"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "universities" ADD CONSTRAINT "universities_country_id_countries_id_fk" FOREIGN KEY ("country_id") REFERENCES "public"."countries"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "activity_events_user_id_occurred_at_id_index" ON "activity_events" USING btree ("user_id","occurred_at","id");--> statement-breakpoint
CREATE INDEX "activity_events_content_item_id_user_id_occurred_at_index" ON "activity_events" USING btree ("content_item_id","user_id","occurred_at");--> statement-breakpoint
CREATE INDEX "activity_events_occurred_at_index" ON "activity_events" USING btree ("occurred_at");--> statement-breakpoint
CREATE INDEX "activity_events_university_id_index" ON "activity_events" USING btree ("university_id");--> statement-breakpoint
CREATE INDEX "activity_events_course_offering_id_user_id_occurred_at_index" ON "activity_events" USING btree ("course_offering_id","user_id","occurred_at");--> statement-breakpoint
CREATE INDEX "assets_university_id_id_index" ON "assets" USING btree ("university_id","id");--> statement-breakpoint
CREATE INDEX "cache_hits_node_id_index" ON "cache_hits" USING btree ("node_id");--> statement-breakpoint
CREATE INDEX "cache_nodes_edited_by_index" ON "cache_nodes" USING btree ("edited_by");--> statement-breakpoint
CREATE INDEX "cache_nodes_parent_id_index" ON "cache_nodes" USING btree ("parent_id");--> statement-breakpoint
CREATE INDEX "cache_nodes_last_used_at_index" ON "cache_nodes" USING btree ("last_used_at");--> statement-breakpoint
CREATE INDEX "cache_nodes_unfinished_index" ON "cache_nodes" USING btree ("filling_until") WHERE "cache_nodes"."chunks" is null;--> statement-breakpoint
CREATE INDEX "certificates_user_id_course_offering_id_index" ON "certificates" USING btree ("user_id","course_offering_id");--> statement-breakpoint
CREATE INDEX "certificates_course_offering_id_index" ON "certificates" USING btree ("course_offering_id");--> statement-breakpoint
CREATE INDEX "chat_messages_session_id_id_index" ON "chat_messages" USING btree ("session_id","id");--> statement-breakpoint
CREATE INDEX "chat_sessions_user_id_created_at_id_index" ON "chat_sessions" USING btree ("user_id","created_at","id");--> statement-breakpoint
CREATE INDEX "chat_sessions_content_item_id_index" ON "chat_sessions" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "chat_sessions_cache_node_id_index" ON "chat_sessions" USING btree ("cache_node_id");--> statement-breakpoint
CREATE INDEX "content_items_course_id_index" ON "content_items" USING btree ("course_id");--> statement-breakpoint
CREATE INDEX "content_items_content_type_id_index" ON "content_items" USING btree ("content_type_id");--> statement-breakpoint
CREATE INDEX "course_prerequisites_prerequisite_course_id_index" ON "course_prerequisites" USING btree ("prerequisite_course_id");--> statement-breakpoint
CREATE INDEX "course_subjects_subject_id_index" ON "course_subjects" USING btree ("subject_id");--> statement-breakpoint
CREATE INDEX "courses_department_id_index" ON "courses" USING btree ("department_id");--> statement-breakpoint
CREATE INDEX "courses_primary_subject_id_index" ON "courses" USING btree ("primary_subject_id");--> statement-breakpoint
CREATE INDEX "stored_credentials_updated_by_index" ON "stored_credentials" USING btree ("updated_by");--> statement-breakpoint
CREATE INDEX "discussion_posts_parent_post_id_index" ON "discussion_posts" USING btree ("parent_post_id");--> statement-breakpoint
CREATE INDEX "discussion_posts_user_id_index" ON "discussion_posts" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "discussion_threads_course_offering_id_created_at_id_index" ON "discussion_threads" USING btree ("course_offering_id","created_at","id");--> statement-breakpoint
CREATE INDEX "discussion_threads_module_id_index" ON "discussion_threads" USING btree ("module_id");--> statement-breakpoint
CREATE INDEX "discussion_threads_content_item_id_index" ON "discussion_threads" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "discussion_threads_created_by_user_id_index" ON "discussion_threads" USING btree ("created_by_user_id");--> statement-breakpoint
CREATE INDEX "enrollments_university_id_user_id_index" ON "enrollments" USING btree ("university_id","user_id");--> statement-breakpoint
CREATE INDEX "enrollments_user_id_enrolled_at_id_index" ON "enrollments" USING btree ("user_id","enrolled_at" DESC NULLS FIRST,"id");--> statement-breakpoint
CREATE INDEX "enrollments_roster_index" ON "enrollments" USING btree ("course_offering_id","status","enrolled_at","id","user_id");--> statement-breakpoint
CREATE INDEX "enrollments_dropped_at_index" ON "enrollments" USING btree ("dropped_at");--> statement-breakpoint
CREATE INDEX "feature_requests_user_id_created_at_id_index" ON "feature_requests" USING btree ("user_id","created_at","id");--> statement-breakpoint
CREATE INDEX "feature_requests_status_created_at_id_index" ON "feature_requests" USING btree ("status","created_at","id");--> statement-breakpoint
CREATE INDEX "feature_requests_created_at_id_index" ON "feature_requests" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "flashcard_reviews_flashcard_id_reviewed_at_id_index" ON "flashcard_reviews" USING btree ("flashcard_id","reviewed_at","id");--> statement-breakpoint
CREATE INDEX "flashcards_user_id_due_id_index" ON "flashcards" USING btree ("user_id","due","id");--> statement-breakpoint
CREATE INDEX "flashcards_content_item_id_index" ON "flashcards" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "course_grades_course_offering_id_user_id_index" ON "course_grades" USING btree ("course_offering_id","user_id");--> statement-breakpoint
CREATE INDEX "user_identities_user_id_index" ON "user_identities" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "lab_submissions_user_id_submitted_at_id_index" ON "lab_submissions" USING btree ("user_id","submitted_at","id");--> statement-breakpoint
CREATE INDEX "lab_submissions_course_offering_id_submitted_at_id_index" ON "lab_submissions" USING btree ("course_offering_id","submitted_at","id");--> statement-breakpoint
CREATE INDEX "lab_submissions_content_item_id_index" ON "lab_submissions" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "lab_submissions_results_index" ON "lab_submissions" USING btree ("submitted_at","status","score_obtained","max_score");--> statement-breakpoint
CREATE INDEX "modules_parent_module_id_sequence_index_index" ON "modules" USING btree ("parent_module_id","sequence_index");--> statement-breakpoint
CREATE INDEX "modules_root_index" ON "modules" USING btree ("course_id","sequence_index") WHERE "modules"."parent_module_id" is null;--> statement-breakpoint
CREATE INDEX "modules_module_template_id_index" ON "modules" USING btree ("module_template_id");--> statement-breakpoint
CREATE INDEX "notes_user_id_created_at_id_index" ON "notes" USING btree ("user_id","created_at","id");--> statement-breakpoint
CREATE INDEX "notes_content_item_id_index" ON "notes" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "course_offering_instructors_user_id_index" ON "course_offering_instructors" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "course_offerings_course_id_id_index" ON "course_offerings" USING btree ("course_id","id");--> statement-breakpoint
CREATE INDEX "course_offerings_university_id_index" ON "course_offerings" USING btree ("university_id");--> statement-breakpoint
CREATE INDEX "course_popularity_subject_id_enrollments_course_id_index" ON "course_popularity" USING btree ("subject_id","enrollments" DESC NULLS FIRST,"course_id");--> statement-breakpoint
CREATE INDEX "user_subject_preferences_subject_id_index" ON "user_subject_preferences" USING btree ("subject_id");--> statement-breakpoint
CREATE INDEX "user_content_progress_course_offering_id_index" ON "user_content_progress" USING btree ("course_offering_id");--> statement-breakpoint
CREATE INDEX "user_content_progress_content_item_id_index" ON "user_content_progress" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "user_content_progress_started_index" ON "user_content_progress" USING btree ("first_started_at","course_offering_id","completed_at");--> statement-breakpoint
CREATE INDEX "user_content_progress_completed_index" ON "user_content_progress" USING btree ("completed_at","course_offering_id");--> statement-breakpoint
CREATE INDEX "user_module_progress_tree_index" ON "user_module_progress" USING btree ("course_offering_id","user_id","module_id","started_at","completed_at");--> statement-breakpoint
CREATE INDEX "user_module_progress_module_id_index" ON "user_module_progress" USING btree ("module_id");--> statement-breakpoint
CREATE INDEX "prompt_dependencies_child_name_index" ON "prompt_dependencies" USING btree ("child_name");--> statement-breakpoint
CREATE INDEX "prompt_label_events_name_changed_at_id_index" ON "prompt_label_events" USING btree ("name","changed_at","id");--> statement-breakpoint
CREATE INDEX "prompt_label_events_changed_by_index" ON "prompt_label_events" USING btree ("changed_by");--> statement-breakpoint
CREATE INDEX "prompt_labels_prompt_id_index" ON "prompt_labels" USING btree ("prompt_id");--> statement-breakpoint
CREATE INDEX "prompt_labels_label_index" ON "prompt_labels" USING btree ("label");--> statement-breakpoint
CREATE INDEX "prompts_created_by_index" ON "prompts" USING btree ("created_by");--> statement-breakpoint
CREATE INDEX "question_pools_course_id_id_index" ON "question_pools" USING btree ("course_id","id");--> statement-breakpoint
CREATE INDEX "questions_question_pool_id_id_index" ON "questions" USING btree ("question_pool_id","id");--> statement-breakpoint
CREATE INDEX "quiz_attempts_course_offering_id_id_index" ON "quiz_attempts" USING btree ("course_offering_id","id");--> statement-breakpoint
CREATE INDEX "quiz_attempts_content_item_id_index" ON "quiz_attempts" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "quiz_attempts_results_index" ON "quiz_attempts" USING btree ("submitted_at","passed","score_obtained","max_score");--> statement-breakpoint
CREATE INDEX "course_reviews_course_offering_id_created_at_id_index" ON "course_reviews" USING btree ("course_offering_id","created_at","id");--> statement-breakpoint
CREATE INDEX "user_university_roles_university_id_id_index" ON "user_university_roles" USING btree ("university_id","id");--> statement-breakpoint
CREATE INDEX "user_university_roles_university_id_user_id_index" ON "user_university_roles" USING btree ("university_id","user_id");--> statement-breakpoint
CREATE INDEX "user_university_roles_department_id_index" ON "user_university_roles" USING btree ("department_id");--> statement-breakpoint
CREATE INDEX "subjects_parent_subject_id_id_index" ON "subjects" USING btree ("parent_subject_id","id");--> statement-breakpoint
CREATE INDEX "subjects_domain_id_id_index" ON "subjects" USING btree ("domain_id","id");--> statement-breakpoint
CREATE INDEX "universities_country_id_index" ON "universities" USING btree ("country_id");--> statement-breakpoint
CREATE INDEX "users_created_at_index" ON "users" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "users_last_activity_date_index" ON "users" USING btree ("last_activity_date");
