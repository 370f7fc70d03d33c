import { at } from '../helpers/at';
import type { Faults } from './faults';
import { degrees, type Site } from './sites';

export const CONTROL_PATH = '/_control/';

/** What can be changed of a service. */
interface Controlled {
	faults: Faults;
	sites: Site[];
	/** Told of each change. */
	onControl?: (what: string) => void;
}

/** 120 m on any meridian. */
const MOVE_DEGREES = 0.00108;

/** A unit of the first sample site. */
const unitOf = ({ sites }: Controlled, index: number) => at(at(sites, 0).units, index);

interface Action {
	what: string;
	change: (service: Controlled) => void;
}

/** What a POST to `/_control/<name>` does. */
export const ACTIONS = {
	'move-pen': {
		what: 'Moves Pen 7 of Storholmen 120 m to the north',
		change: (service) => {
			const unit = unitOf(service, 6);
			unit.latitude = degrees((unit.latitude ?? 0) + MOVE_DEGREES);
		},
	},
	'rename-unit': {
		what: 'Renames Pen 2 of Storholmen to Pen 2 South, or back',
		change: (service) => {
			const unit = unitOf(service, 1);
			const [name = ''] = unit.unitName.split(' South');
			unit.unitName = unit.unitName === name ? `${name} South` : name;
		},
	},
	break: {
		what: 'Breaks the service: it responds with status 503',
		change: ({ faults }) =>
			Object.assign(faults, { token: [{ status: 503 }], site: [{ status: 503 }] }),
	},
	mend: {
		what: 'Mends the service',
		change: ({ faults }) => Object.assign(faults, { token: [], site: [] }),
	},
} satisfies Record<string, Action>;

/** Changes a service that runs; false where there is no such action. */
export function control(service: Controlled, name: string): boolean {
	const action = (ACTIONS as Record<string, Action>)[name];
	action?.change(service);
	if (action) service.onControl?.(action.what);
	return action !== undefined;
}
