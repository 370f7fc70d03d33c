import { deepCopy, NodeConnectionTypes } from 'n8n-workflow';
import type {
	IDataObject,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';

import { toNodeError } from './nodeErrors';
import { testCredential } from './service/credentialTest';
import { CREDENTIAL } from './service/request';
import { SiteService } from './service/SiteService';
import {
	claim,
	isDurable,
	occasionOf,
	pollBudget,
	refusalOf,
	release,
	rememberRefusal,
} from './trigger/activation';
import type { SiteEvent } from './trigger/events';
import { parseSettings, triggerFields } from './trigger/fields';
import { recall, remember } from './trigger/latest';
import { concludePoll } from './trigger/poll';
import { readFirstSite, readSites } from './trigger/reading';
import { sampleEvents } from './trigger/samples';
import { readState, writeState } from './trigger/state';
import { inTurn } from './trigger/turns';

// A wait that is longer ends the poll: what is left has its turn in the next one
const LIMITS = { maxConcurrency: 128, longestWait: 30_000 };

// n8n's scheduler may end a poll after 45 seconds. That leaves it time to compare, to store and to report.
const LONGEST_POLL_MS = 36_000;

const FIRST_POLL =
	'The first poll after publishing only remembers the sites. From then on, each change starts the workflow.';

const WHILE_BUILDING =
	'<b>While you build the workflow</b>, click the button. It returns a test event of each kind that is selected under <b>Events</b>, made up from the first site in <b>Site IDs</b>; nothing has really changed.<br><br>';

// What is below the button, and its help "When will this node trigger my flow?"
const TRIGGER_PANEL: INodeTypeDescription['triggerPanel'] = {
	header: '',
	executionsHelp: {
		inactive: `${WHILE_BUILDING}<b>Once the workflow is published</b>, n8n polls the sites at the times under <b>Poll Times</b>. ${FIRST_POLL}`,
		active: `${WHILE_BUILDING}<b>While the workflow is published</b>, n8n polls the sites at the times under <b>Poll Times</b>, and each change starts the workflow. These executions do not show here, but you can find them in the list of executions.`,
	},
	activationHint: {
		inactive: `Once the workflow is published, n8n polls the sites at the times under <b>Poll Times</b>. ${FIRST_POLL}`,
		active: 'The workflow is published: each change of a site starts it.',
	},
};

function toItems(events: SiteEvent[]): INodeExecutionData[] {
	return events.map((event) => ({ json: deepCopy(event) as unknown as IDataObject }));
}

export class AquacultureSiteTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Aquaculture Site Trigger',
		name: 'aquacultureSiteTrigger',
		icon: {
			light: 'file:../../icons/aquaculture.svg',
			dark: 'file:../../icons/aquaculture.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: '={{ "sites " + $parameter["siteIds"] }}',
		// n8n's node list shows this one for the site node too
		description:
			'Read aquaculture sites (sea farms) and their units, or start the workflow when they change',
		defaults: { name: 'Aquaculture Site Trigger' },
		polling: true,
		triggerPanel: TRIGGER_PANEL,
		activationMessage: FIRST_POLL,
		hints: [
			{
				type: 'info',
				// In a test and in the execution of a published workflow alike
				whenToDisplay: 'always',
				location: 'outputPane',
				message:
					"Test events are made up from the first site in 'Site IDs'. The events of a published workflow are real.",
			},
		],
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: CREDENTIAL, required: true, testedBy: 'testCredential' }],
		properties: triggerFields,
	};

	methods = { credentialTest: { testCredential } };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		try {
			const isTest = this.getMode() === 'manual';
			const events = isTest ? await sampleOf(this) : await pollSites(this);
			return events.length > 0 ? [toItems(events)] : null;
		} catch (error) {
			throw toNodeError(this.getNode(), error);
		}
	}
}

function settingsOf(context: IPollFunctions) {
	return parseSettings((name, fallback) => context.getNodeParameter(name, fallback));
}

/** What a trigger is known by. */
function nameOf(context: IPollFunctions): string {
	return `${context.getWorkflow().id} ${context.getNode().id}`;
}

/** What "Fetch Test Event" shows. */
async function sampleOf(context: IPollFunctions): Promise<SiteEvent[]> {
	const { siteIds, apiVersion, events } = settingsOf(context);
	const service = await SiteService.open(context, LIMITS);
	const site = await readFirstSite(service, siteIds, {
		apiVersion,
		milliseconds: LONGEST_POLL_MS,
	});
	return sampleEvents(site, events, new Date().toISOString());
}

/** @throws ParameterError, ServiceFailure, or n8n's own error */
async function pollSites(context: IPollFunctions): Promise<SiteEvent[]> {
	const startedAt = Date.now();
	const occasion = occasionOf(context);
	const settings = settingsOf(context);
	const service = await SiteService.open(context, LIMITS);
	const kept = context.getWorkflowStaticData('node');
	const refusal = refusalOf(kept);
	if (refusal) throw refusal;
	// The poll that is still running reads the same sites
	if (!claim(kept)) return [];
	try {
		const { polledAt } = kept;
		const trigger = isDurable(context) ? nameOf(context) : undefined;
		const saved = readState(kept, `${service.url} ${settings.apiVersion}`);
		const old = trigger === undefined ? saved : recall(trigger, saved);
		const siteIds = inTurn(settings.siteIds, old.turns);
		const milliseconds = Math.min(LONGEST_POLL_MS, pollBudget(context));
		const { apiVersion } = settings;
		const reading = await readSites(service, siteIds, { occasion, apiVersion, milliseconds });
		// From here on nothing waits. Where another poll has taken over meanwhile, what this one has read is older.
		if (kept.polledAt !== polledAt) return [];
		const poll = { ...reading, occasion, siteIds, now: new Date() };
		const { state, events, unread, failure } = concludePoll(old, poll, settings);
		writeState(kept, state);
		if (trigger !== undefined) remember(trigger, state);
		for (const {
			siteId,
			failure: { message, description },
		} of unread) {
			context.logger.warn(`Aquaculture Site Trigger: site ${siteId} was not read: ${message}`, {
				description,
			});
		}
		if (!failure) return events;
		if (occasion === 'activation') rememberRefusal(kept, failure, startedAt);
		throw failure;
	} finally {
		release(kept);
	}
}
