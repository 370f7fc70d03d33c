/** What n8n's `require('sqlite3')` gets: an SQLite with binaries or, with SQLITE3=compiled, the one that n8n asks for. */
module.exports =
	process.env.SQLITE3 === 'compiled' ? require('compiled') : require('@appthreat/sqlite3').default;
