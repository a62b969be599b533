// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title What every stock token asks: its code (a beacon), who is blocked, and whether all of them are paused.
/// @notice One list for all tokens. A blocked pool, router or spender stops a trade like a blocked holder.
contract AccessControlsRegistry {
    event Upgraded(address indexed implementation);
    event AccountBlocked(address indexed account, bool blocked);
    event Paused(address account);
    event Unpaused(address account);

    error OnlyOwner();
    error NoCode(address implementation);

    address public immutable owner;
    address public implementation;
    bool public paused;
    mapping(address account => bool) public isBlocked;

    constructor(address implementation_) {
        owner = msg.sender;
        _upgrade(implementation_);
    }

    modifier onlyOwner() {
        if (msg.sender != owner) revert OnlyOwner();
        _;
    }

    function upgradeTo(address implementation_) external onlyOwner {
        _upgrade(implementation_);
    }

    function setBlocked(address account, bool blocked) external onlyOwner {
        isBlocked[account] = blocked;
        emit AccountBlocked(account, blocked);
    }

    function setPaused(bool paused_) external onlyOwner {
        paused = paused_;
        if (paused_) emit Paused(msg.sender);
        else emit Unpaused(msg.sender);
    }

    function _upgrade(address implementation_) private {
        if (implementation_.code.length == 0) revert NoCode(implementation_);
        implementation = implementation_;
        emit Upgraded(implementation_);
    }
}
