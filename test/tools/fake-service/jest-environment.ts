import { subscribe } from 'node:diagnostics_channel';
import NodeEnvironment from 'jest-environment-node';
import { loadContract } from './contract';
import { type Exchange, EXCHANGES } from './exchanges';

/** Of the test file that runs now. */
let violations: string[] = [];

// Jest loads this file once per worker, so the contract is compiled once for all test files.
const checking = loadContract().then((brokenBy) => {
	subscribe(EXCHANGES, (message) => {
		const exchange = message as Exchange;
		const { method, path } = exchange.request;
		const what = `${exchange.response ? 'response to' : 'request'} ${method} ${path}`;
		violations.push(...brokenBy(exchange).map((text) => `${what}: ${text}`));
	});
});

/** Node as jest has it, where whatever the fake services receive and send is checked against the contract. */
export default class ContractEnvironment extends NodeEnvironment {
	override async setup(): Promise<void> {
		await super.setup();
		await checking;
		this.global.contractViolations = violations = [];
	}
}
