import { parseTask, siteFields } from '../../../nodes/AquacultureSite/operations';
import { given } from '../../tools/helpers/operation';
import { fieldsOf, OPERATIONS } from '../../tools/helpers/panel';
import { refusalOf } from '../../tools/helpers/refusal';

test('every field of the node is what saved workflows depend on', () => {
	expect(fieldsOf(siteFields)).toMatchSnapshot();
});

test('there is no operation but those of the list, exactly as n8n stores them', () => {
	const taskOf = (operation: unknown) => parseTask(given({ operation, siteIds: 7, siteId: 7 }));
	expect(taskOf('getUnits')).toMatchObject({ siteIds: ['7'] });
	for (const other of ['Get', 'delete', '', null, undefined]) {
		const { message } = refusalOf(() => taskOf(other));
		const names = OPERATIONS.map(({ name }) => name).join(', ');
		expect(message).toContain(`'Operation' must be one of ${names}, not `);
	}
	expect(() => parseTask(given({ resource: 'pen', siteId: 7 }))).toThrow(
		`'Resource' must be one of Site, not "pen"`,
	);
});
