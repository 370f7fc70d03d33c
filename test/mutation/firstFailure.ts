import fc from 'fast-check';

// One failing case is enough to notice a mutant: looking for the smallest one would take most of the time
fc.configureGlobal({ endOnFailure: true });
