import type {
	ICredentialDataDecryptedObject,
	INodeExecutionData,
	INodeParameters,
	OnError,
} from 'n8n-workflow';
import { createEngine } from '../engine/engine';
import { siteNode } from '../engine/sea-farm';
import { selfSignedCertificate } from '../fake-service/certificate';
import type { Fault, FaultRequest } from '../fake-service/faults';
import type { TokenLifetime } from '../fake-service/rules';
import { type ServiceOptions, startService } from '../fake-service/service';
import { at } from '../helpers/at';
import type { Cleanup } from '../helpers/cleanup';
import {
	CREDENTIAL,
	HIT,
	type Outcome,
	type Row,
	SITES,
	type Stage,
	type Variation,
} from './fault-table';

/** Of a token that is used up. */
const LIFETIME_MS = 6000;

/** No token expires within seconds: time passes before the service refuses one that was used this often. */
function agingOf({ uses }: TokenLifetime = {}): Fault {
	const used = new Map<string, number>();
	const age = ({ token = '' }: FaultRequest) => {
		const before = used.get(token) ?? 0;
		used.set(token, before + 1);
		return before === uses ? LIFETIME_MS : 0;
	};
	return { latencyMs: age };
}

let certificate: ReturnType<typeof selfSignedCertificate> | undefined;

/** The services of one cell, so that nothing of another one reaches it. */
export async function startStage(
	cleanup: Cleanup,
	login?: ServiceOptions['login'],
): Promise<Stage> {
	const start = async (options: ServiceOptions = {}) => {
		const service = await startService({ login, ...options });
		cleanup.defer(async () => await service.close());
		return service;
	};
	const tls = await (certificate ??= selfSignedCertificate());
	return { service: await start(), tls: await start({ tls }), elsewhere: await start() };
}

/**
 * Brings the fault about.
 *
 * @returns what is in the credential
 */
export function arrange(
	{ place }: Row,
	variation: Variation,
	stage: Stage,
): ICredentialDataDecryptedObject {
	const { service } = stage;
	const fault = variation.fault?.(stage);
	if (place === 'site') {
		const siteId = HIT.map((item) => at(SITES, item));
		service.faults.site = [{ siteId, ...fault }];
		service.faults.tokenLifetime = variation.tokenLifetime;
	} else {
		const skip = place === 'first login' ? 0 : 1;
		service.faults.token = [{ skip, ...fault }];
	}
	if (place === 'renewed login') service.faults.tokenLifetime = { uses: 2 };
	service.faults.site.push(agingOf(service.faults.tokenLifetime));
	return { baseUrl: service.baseUrl, ...service.login, ...variation.credential?.(stage) };
}

/** The input items: `id`, and how long the service may take for it. */
export function inputOf({ hit, timeout = 30_000 }: Row): { id: number; timeout: number }[] {
	return SITES.map((id, item) => ({ id, timeout: hit.includes(item) ? timeout : 30_000 }));
}

/** The node's parameters: one site after the other, so that each count is exact. */
export function parametersOf({ maxRetries = 3 }: Row, { parameters }: Variation): INodeParameters {
	return {
		operation: 'get',
		siteId: '={{ $json.id }}',
		siteIds: '={{ $json.id }}',
		options: { maxConcurrency: 1, maxRetries, timeout: '={{ $json.timeout }}' },
		...parameters,
	};
}

const isFailed = (item: INodeExecutionData) => item.error !== undefined || 'error' in item.json;
const itemOf = ({ pairedItem }: INodeExecutionData) => (pairedItem as { item: number }).item;

/** Runs one form of a row's fault in n8n's engine. */
export async function runCell(
	row: Row,
	variation: Variation,
	onError: OnError,
	stage: Stage,
): Promise<Outcome> {
	const { elsewhere } = stage;
	const credentials = { [CREDENTIAL]: arrange(row, variation, stage) };
	const engine = await createEngine({ fresh: false, credentials });
	const { outputs, error } = await engine.run({
		node: siteNode(parametersOf(row, variation), { onError }),
		items: inputOf(row).map((json) => ({ json })),
	});

	const [regular = [], errors = []] = outputs;
	const failed = (onError === 'continueErrorOutput' ? errors : regular).filter(isFailed);
	const kept = regular.filter((item) => !isFailed(item));
	const stopped = error && { item: Number(error.context.itemIndex), message: error.message };
	return {
		...(stopped && { stopped }),
		kept: kept.map(itemOf),
		failed: failed.map((item) => ({ item: itemOf(item), message: item.json.error as string })),
		misplaced: regular.length + errors.length - kept.length - failed.length,
		elsewhere: elsewhere.counts.requests,
	};
}
